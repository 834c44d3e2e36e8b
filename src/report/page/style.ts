/** The complete style of the page: light and dark, for widths from 390 px, self-contained. */
const light = `
--ground:#faf9f7;--panel:#fff;--text:#1d1c1a;--soft:#5f5b55;--line:#e2ded7;--link:#1a56b0;--code:#f2efea;
--pass:#17633a;--pass-ground:#e2f3e8;--violated:#a01c16;--violated-ground:#fce7e5;
--unknown:#765000;--unknown-ground:#fbefd2;--expected:#54505a;--expected-ground:#eceaf0;--bar:#c9c2b6;`
const dark = `
--ground:#131416;--panel:#1b1d20;--text:#e9e7e3;--soft:#a7a29a;--line:#32353a;--link:#8ab4f8;--code:#25282c;
--pass:#83d9a6;--pass-ground:#143121;--violated:#ffa59d;--violated-ground:#411917;
--unknown:#f2c76e;--unknown-ground:#36290d;--expected:#c5bfd0;--expected-ground:#2c2a33;--bar:#4a4e55;`

export const style = `
:root{color-scheme:light dark;${light}}
@media (prefers-color-scheme:dark){:root{${dark}}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",sans-serif;overflow-wrap:anywhere}
main,header,footer{max-width:70rem;margin:0 auto;padding:0 1rem}
h1,h2,h3,h4{line-height:1.25;margin:0;text-wrap:balance}
h1{font-size:clamp(1.5rem,4.5vw,2.25rem);letter-spacing:-.015em}
h2{font-size:1.25rem;margin:2.75rem 0 .35rem}
h3{font-size:1rem;display:inline}
section>h3{display:block;margin:1.75rem 0 .35rem}
h4{font-size:.8125rem;margin:0 0 .5rem;color:var(--soft);font-weight:600}
p{margin:.5rem 0}
a{color:var(--link)}
:focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:3px}
code,pre,.time,.kind{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:.875em}
.lede,.note,.small,.demand{color:var(--soft)}
.note,.small{font-size:.875rem}
.banner{margin:1.25rem 0 0;padding:1.25rem;border-radius:.75rem;border-left:.5rem solid}
.banner p{margin:.5rem 0 0}
.banner.pass{background:var(--pass-ground);border-color:var(--pass)}
.banner.violated,.banner.error{background:var(--violated-ground);border-color:var(--violated)}
.banner.unknown,.banner.expected{background:var(--unknown-ground);border-color:var(--unknown)}
.brand{margin:1.25rem 0 0;font-weight:600;color:var(--soft)}
.again{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;margin:.75rem 0 0;padding:0;font-size:.875rem;color:var(--soft)}
.again div{display:flex;gap:.4rem}.again dt{margin:0}.again dd{margin:0;color:var(--text)}
.scroll{overflow-x:auto;border:1px solid var(--line);border-radius:.75rem;margin-top:.75rem;background:
linear-gradient(to left,var(--panel) 40%,transparent) right/3rem 100% no-repeat local,
linear-gradient(to left,var(--bar),transparent) right/1.25rem 100% no-repeat scroll var(--panel)}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.6rem .9rem;border-top:1px solid var(--line)}
thead th{border-top:0;font-size:.8125rem;color:var(--soft);font-weight:600}
.matrix{overflow-wrap:normal}
.matrix tbody th{font-weight:500;min-width:8rem;position:sticky;left:0;background:var(--panel)}
.matrix td{min-width:9rem}.matrix a{text-decoration:none}.matrix a:hover .badge{text-decoration:underline}
.matrix .note{display:block;margin-top:.15rem}.empty{color:var(--soft)}
.badge{display:inline-block;padding:.1rem .6rem;border-radius:1rem;font-size:.875rem;font-weight:600;white-space:nowrap}
.badge.pass{color:var(--pass);background:var(--pass-ground)}
.badge.violated,.badge.error{color:var(--violated);background:var(--violated-ground)}
.badge.unknown{color:var(--unknown);background:var(--unknown-ground)}
.badge.expected{color:var(--expected);background:var(--expected-ground)}
details{border:1px solid var(--line);border-radius:.75rem;background:var(--panel);margin-top:.75rem;padding:0 1rem}
summary{cursor:pointer;padding:.85rem 0 .85rem 1.25rem;position:relative;list-style:none}
summary::-webkit-details-marker{display:none}
summary::before{content:"";position:absolute;left:.1rem;top:1.3rem;border:.35rem solid transparent;border-left:.45rem solid var(--soft);border-right:0}
details[open]>summary::before{transform:rotate(90deg)}
.evidence summary h3{font-weight:500;margin-right:.35rem}
.counterexample summary h3{display:block}
.kind{color:var(--violated)}
.why{display:block;font-weight:600}.why::first-letter{text-transform:uppercase}
.timeline{list-style:none;margin:1rem 0 0;padding:0}
.timeline li{display:grid;grid-template-columns:6rem 1.75rem 1fr;align-items:baseline;position:relative;padding:.2rem 0}
.timeline .time{text-align:right;color:var(--soft);white-space:nowrap;font-variant-numeric:tabular-nums;grid-column:1}
.timeline .what{grid-column:3}
.timeline li::before{content:"";grid-column:2;grid-row:1;justify-self:center;width:.55rem;height:.55rem;border-radius:50%;background:var(--bar);position:relative;z-index:1}
.timeline li::after{content:"";position:absolute;left:6.8125rem;top:0;bottom:0;width:.125rem;background:var(--line)}
.timeline li:first-child::after{top:50%}.timeline li:last-child::after{bottom:50%}
.timeline .fault::before{background:var(--unknown);border-radius:0;transform:rotate(45deg)}
.timeline .fault .what{color:var(--unknown);font-weight:600}
.timeline .effect::before{background:var(--violated);width:.8rem;height:.8rem}
.timeline .effect .what{font-weight:600;color:var(--violated)}
.timeline .healed .what,.timeline .gap .what{color:var(--soft)}
.timeline .gap::before{visibility:hidden}
.ending{margin:1rem 0 0;padding:.1rem 0 .1rem .9rem;border-left:.2rem solid var(--violated);max-width:65ch}
.ending p:first-child{font-weight:600}
.id{font-variant-numeric:tabular-nums;padding:0 .45rem;border-radius:.35rem;background:var(--code)}
.findings td,.findings th{min-width:0}.findings .kind{white-space:nowrap}.findings td:nth-child(2){min-width:13rem}.findings td:nth-child(3){min-width:9rem}.findings td:nth-child(4){min-width:9.5rem}.findings tbody th{min-width:4rem}
.token{display:flex;gap:.5rem;align-items:center}
.token code{display:block;max-width:11rem;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.runs{max-height:6rem;overflow-y:auto;font-variant-numeric:tabular-nums}.broke{margin:0;padding-left:1.1rem}.replay+.figures,section+.figures{margin-top:1.25rem}
.replay-label{margin:1.1rem 0 .3rem;font-size:.875rem;color:var(--soft)}
.replay{display:flex;align-items:stretch;gap:.5rem;max-width:100%}
.replay pre{flex:1;min-width:0;margin:0;padding:.7rem .9rem;background:var(--code);border-radius:.5rem;white-space:pre-wrap;max-height:9.5rem;overflow-y:auto}
.copy{font:inherit;font-size:.875rem;padding:.3rem .9rem;min-width:5.5rem;border:1px solid var(--line);border-radius:.5rem;background:var(--panel);color:var(--text);cursor:pointer}
.copy[hidden]{display:none}
.reason{max-width:75ch}
.figures{display:grid;grid-template-columns:repeat(auto-fill,minmax(7rem,1fr));gap:.9rem 1rem;margin:.5rem 0 1.25rem}
.figures dt{font-size:.8125rem;color:var(--soft)}.figures dd{margin:0;font-size:1.125rem;font-weight:600;font-variant-numeric:tabular-nums}
.columns{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,20rem),1fr));gap:1.5rem 2rem}
.columns ul{margin:0;padding-left:1.1rem}
.invariants th,.invariants td{padding:.25rem .75rem .25rem 0;border:0;font-weight:400}.invariants thead{display:none}
.word.pass{color:var(--pass)}.word.violated{color:var(--violated);font-weight:600}.word.unknown{color:var(--unknown);font-weight:600}
.columns .goals,.columns .bars{list-style:none;padding:0}
.goals li{padding:.15rem 0}.goals b{font-weight:600;white-space:nowrap}
.goals .hit b{color:var(--pass)}.goals .missed b{color:var(--unknown)}.goals .na{color:var(--soft)}
.bars li{display:grid;grid-template-columns:1fr auto;gap:0 .75rem;padding:.15rem 0}
.bars .count{font-variant-numeric:tabular-nums}
.bars .bar{grid-column:1/-1;height:.3rem}.bars .bar span{display:block;height:100%;min-width:2px;border-radius:.2rem;background:var(--bar)}
.words{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:.75rem 2rem;margin:.75rem 0}
.words dt{font-weight:600}.words dd{margin:0;color:var(--soft)}
.roots{margin:.75rem 0 0;padding-left:2.25rem}.roots>li{padding:.5rem 0}.roots>li>p{max-width:78ch}.roots li::marker{font-weight:600}.roots p{margin:.2rem 0}.roots>li>.note{display:block}.roots details{max-width:none}
.source{margin:.5rem 0;padding:.5rem .9rem;background:var(--code);border-radius:.5rem;overflow-x:auto;line-height:1.4}.source b{color:var(--violated)}
.about .token{display:inline-flex}.markdown{position:absolute;width:1px;height:1px;overflow:hidden;white-space:pre;clip-path:inset(50%)}
.save{font:inherit;font-size:.875rem;padding:.3rem .9rem;border:1px solid var(--line);border-radius:.5rem;background:var(--panel);color:var(--text);cursor:pointer}.save[hidden]{display:none}
footer{padding-top:1rem;padding-bottom:3rem}
@media (max-width:34rem){
.timeline li{grid-template-columns:5.5rem 1.5rem 1fr;font-size:.9375rem}
.timeline li::after{left:6.1875rem}
.matrix td{min-width:7.5rem}th,td{padding:.5rem .6rem}
.findings thead{display:none}.findings tr{display:block;padding:.5rem 0;border-top:1px solid var(--line)}
.findings th,.findings td{display:block;border:0;padding:.1rem .75rem}.findings td:nth-child(3)::before{content:"Runs: "}.findings .kind{white-space:normal}
.run-table table{min-width:46rem}
}
@media print{
details::details-content{content-visibility:visible}.copy,.save{display:none}.root{break-inside:avoid-page}
.scroll{overflow:visible;background:none}
.matrix{font-size:.6875rem;overflow-wrap:anywhere}.matrix .note,.matrix .badge,.matrix .kind,.matrix code{font-size:1em}
.matrix th,.matrix td,.matrix tbody th,.findings td:nth-child(n){min-width:0;padding:.3rem;position:static}.matrix .badge{padding:0 .3rem}.findings .kind{white-space:normal}
}
`
