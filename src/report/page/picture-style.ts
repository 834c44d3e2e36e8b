/** The style of pictures: light and dark, for print, and for widths from 390 px. */
const light = `
--who0:#1a56b0;--who1:#a8510a;--who2:#0b7a6f;--who3:#8a3fa0;--who4:#7a6a00;--who5:#b0305c;--nobody:#7d776e;
--rule:#3c3a36;--alarm:#c3190f;--alarm-ground:#fbdcd8;--cut:#b45309;--cut-ground:#fdeccf;--skew:#6d3fc0;--skew-ground:#ece4fb;`
const dark = `
--who0:#8ab4f8;--who1:#f4a865;--who2:#5fd3c4;--who3:#d6a3ea;--who4:#dccb62;--who5:#f495b6;--nobody:#9c968d;
--rule:#d8d4cc;--alarm:#ff6b60;--alarm-ground:#4a1a18;--cut:#f0b45c;--cut-ground:#3a2a10;--skew:#b99cf5;--skew-ground:#2a2140;`

const hues = [...Array(6).keys()].map((at) => `.who${at}{--who:var(--who${at})}`).join('')

export const pictureStyle = `
:root{${light}}
@media (prefers-color-scheme:dark){:root{${dark}}}
main,header,footer{max-width:80rem}
.lede,.ending,.banner p{max-width:80ch}
.who0,.who1,.who2,.who3,.who4,.who5,.nobody{--who:var(--nobody)}${hues}
.pictured>.timeline{display:none}
.picture{margin:.75rem 0}
.tools{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem .75rem;margin:.75rem 0}
.tools input{font:inherit;font-size:.875rem;padding:.35rem .7rem;border:1px solid var(--line);border-radius:.5rem;background:var(--panel);color:var(--text);width:13rem;max-width:100%}
.found{font-size:.875rem;color:var(--soft)}
.details{display:flex;border:1px solid var(--line);border-radius:.5rem;overflow:hidden}
.detail{font:inherit;font-size:.875rem;padding:.35rem .8rem;border:0;background:var(--panel);color:var(--text);cursor:pointer}
.detail[aria-pressed=true]{background:var(--code);font-weight:600}
.detail:focus-visible{outline-offset:-3px}
.run{display:grid;grid-template-columns:minmax(0,1fr);gap:1rem}
.view{min-width:0;position:relative}
.heads{display:flex;margin-left:88px;width:var(--lanes);position:sticky;top:0;background:var(--panel);z-index:3;padding:.4rem 0;border-bottom:1px solid var(--line)}
.narrow .heads{margin-left:0}
.head{flex:none;text-align:center;font-size:.75rem;line-height:1.2;display:flex;align-items:flex-end;justify-content:center;overflow-wrap:normal}
.head b{font-weight:600;color:var(--soft);white-space:nowrap}.head.consumer b{color:var(--who)}
.slim .head b{writing-mode:vertical-rl;transform:rotate(180deg)}
.frame{position:relative}
.all .frame{height:min(70vh,46rem);overflow-y:auto;overflow-x:hidden;border-bottom:1px solid var(--line)}
.rows-box{position:relative}
.lanes{position:absolute;left:88px;top:0;overflow:visible;pointer-events:none;z-index:1}
.narrow .lanes{left:0}
.lanes .message,.lanes .glyph,.lanes .bar,.lanes .band{pointer-events:auto}.lanes .message,.lanes .glyph{cursor:pointer}
.rows{padding-top:16px;outline-offset:4px}
.all .rows{padding:0}
.row{display:grid;grid-template-columns:88px var(--lanes) minmax(0,1fr);align-items:start;padding:.3rem 0;font-size:.875rem;line-height:1.4;min-height:1.9rem;border-radius:.35rem;cursor:pointer}
.all .row{position:absolute;left:0;right:0;height:28px;min-height:0;padding:.25rem 0}
.row .time{padding-right:.75rem;text-align:right;color:var(--soft);font-size:.75rem;font-variant-numeric:tabular-nums;white-space:nowrap;line-height:1.65}
.row .what{grid-column:3;padding:0 .4rem 0 .75rem;min-width:0}
.view:not(.all) .line{display:block}
.view:not(.all,.paper) .said{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
.narrow:not(.all,.paper) .said{-webkit-line-clamp:4}
.answer{font-weight:400;color:var(--soft)}
.view:not(.all) .answer{display:block}
.view:not(.all,.paper) .answer{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}
.all .row .what{display:flex;gap:.5rem;white-space:nowrap;overflow:hidden}
.all .said{overflow:hidden;text-overflow:ellipsis}.all .answer{flex:none;max-width:50%;overflow:hidden;text-overflow:ellipsis}.all .line{flex:none}
.row .when{display:none}
.narrow .row{grid-template-columns:var(--lanes) minmax(0,1fr);font-size:.8125rem;line-height:1.35}
.narrow .row .time{display:none}
.narrow .row .what{grid-column:2;padding-left:.5rem}
.narrow:not(.all) .row .when{display:block;color:var(--soft);font-size:.75rem}
.row:hover,.row.hovered{background:color-mix(in srgb,var(--code) 70%,transparent)}
.row[aria-selected=true]{background:var(--code);box-shadow:inset -3px 0 0 var(--link)}
.row.note,.row.idle{color:var(--soft);cursor:default;background:none;min-height:1.5rem;font-size:.8125rem}
.row.idle .what{font-style:italic}
.row.fault .what{color:var(--unknown);font-weight:600}
.row.effect .what{font-weight:600}.row.repeat .what{font-weight:700;color:var(--alarm)}
.row.lost .what,.row.ended .what{color:var(--cut)}.row.role .what{font-weight:600}
.row.healed .what,.row.log .what{color:var(--soft)}
.row .line{color:var(--soft);font-weight:400}
.lanes line.lane{stroke:var(--line);stroke-width:1}
.lanes .primary{stroke:var(--rule);stroke-width:4}
.lanes .replica{stroke:var(--nobody);stroke-width:2;stroke-dasharray:2 5}
.lanes .handling{fill:var(--panel);stroke:var(--who);stroke-width:1.5}
.lanes .record,.lanes .lease{fill:var(--who)}.lanes .lease{opacity:.45}
.lanes .now{stroke:var(--link);stroke-width:1;stroke-dasharray:3 3}
.band.pause{stroke:var(--nobody)}.band.down{stroke:var(--nobody)}
.hatch rect{fill:var(--code)}.hatch line{stroke:var(--nobody);stroke-width:1.5;opacity:.55}.hatch.down line{stroke-width:3.5;opacity:.4}
.band.cut{fill:var(--cut-ground);stroke:var(--cut);stroke-dasharray:5 3}
.band.skew{fill:var(--skew-ground);stroke:var(--skew);stroke-dasharray:1 3}
.band.degraded{fill:var(--unknown-ground);stroke:var(--unknown)}
.band.two-primaries{fill:var(--alarm-ground);stroke:none;opacity:.75}
.band-name{font-size:11px;font-weight:600;text-anchor:middle;fill:var(--soft);paint-order:stroke;stroke:var(--panel);stroke-width:3px}
.band-name.cut{fill:var(--cut)}.band-name.skew{fill:var(--skew)}.band-name.two-primaries{fill:var(--alarm)}
.message line{stroke:var(--who);stroke-width:1.5}.message .head{fill:var(--who)}
.message line.reach{stroke:transparent;stroke-width:10}
.message.reply line:not(.reach),.message.receipt line:not(.reach),.message.answer line:not(.reach){stroke-width:1.25;stroke-dasharray:4 3;opacity:.85}
.message.copy line:not(.reach){stroke-dasharray:1 3}
.message.lost .cross{stroke:var(--cut);stroke-width:2.5;fill:none}.message.lost line:not(.reach){stroke:var(--cut)}
.message.effect line:not(.reach){stroke-width:2.5}
.message.second line:not(.reach){stroke:var(--alarm);stroke-width:4}.message.second .head{fill:var(--alarm)}
.message.hovered line:not(.reach),.message.selected line:not(.reach){stroke-width:3;opacity:1}.message.second.selected line:not(.reach){stroke-width:5}
.glyph circle{fill:var(--rule)}
.glyph.selected.step circle,.glyph.hovered.step circle{stroke:var(--link);stroke-width:3}
.glyph.fault rect{fill:var(--unknown);stroke:var(--panel);stroke-width:1.5}
.glyph.role path{fill:var(--rule);stroke:var(--panel);stroke-width:1.5}
.glyph.ended path{stroke:var(--cut);stroke-width:3;fill:none}
.glyph.lost circle{fill:var(--cut)}.glyph.healed circle{fill:var(--panel);stroke:var(--unknown);stroke-width:2}
.glyph.effect text,.glyph.repeat text{font-size:13px;font-weight:700;text-anchor:middle;fill:var(--panel)}
.glyph.repeat circle{fill:var(--alarm)}.glyph.repeat .halo{fill:none;stroke:var(--alarm);stroke-width:2.5;opacity:.6}
.glyph.repeat text{font-size:16px}
.break rect{fill:var(--panel)}.break polyline{fill:none;stroke:var(--bar);stroke-width:1.5}
.panel{border:1px solid var(--line);border-radius:.6rem;padding:0 1rem 1rem;background:var(--ground);font-size:.875rem;min-width:0}
.moment{padding:.75rem 0 .25rem}
.when-text{margin:0;font-weight:600;font-variant-numeric:tabular-nums}
.moment input{width:100%;margin:.35rem 0 0;accent-color:var(--link)}
.now-text{margin:.25rem 0}
.now-facts{margin:.25rem 0;display:grid;grid-template-columns:auto minmax(0,1fr);gap:.15rem .75rem}.now-facts dt{color:var(--soft)}.now-facts dd{margin:0}
.branch .none{margin:0;color:var(--soft)}
.script,.script ol{list-style:none;margin:.25rem 0;padding:0;font-size:.75rem;line-height:1.45}
.script li{display:flex;gap:.4rem;padding:0 .3rem;border-left:3px solid transparent}.script li.fold{display:block}
.script .ran{border-color:var(--rule);background:var(--code)}.script .idle{color:var(--soft)}
.script .number{flex:none;width:2.2em;text-align:right;color:var(--soft);font-variant-numeric:tabular-nums}
.script code{background:none;padding:0;white-space:pre-wrap;overflow-wrap:anywhere;min-width:0}
.script .call{display:block;margin-left:2.6em;color:var(--link)}.script details{border:0;border-radius:0;margin:0;padding:0;background:none}.script summary{padding:0 0 0 2.2em;color:var(--soft);cursor:pointer}.script summary::before{top:.3rem}
.panel h5{margin:.9rem 0 .25rem;font-size:.8125rem;color:var(--soft);font-weight:600}
.panel h6{margin:0;font-size:.875rem;font-weight:600}
.stand{padding:.35rem 0;border-top:1px solid var(--line)}
.stand ul{list-style:none;margin:.1rem 0 0;padding:0}.stand li{padding:.1rem .3rem;border-radius:.3rem}
.stand .changed{background:var(--code)}.stand .none,.stand .left{margin:0;color:var(--soft)}.stand .value{color:var(--soft)}
.stand .role{font-weight:400;color:var(--soft)}.stand .role.primary{color:var(--text);font-weight:600}.skewed{color:var(--skew);font-weight:400}
.dot{display:inline-block;width:.6rem;height:.6rem;border-radius:50%;background:var(--who);margin-right:.4rem}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;margin:.75rem 0 .5rem;padding:0;font-size:.8125rem;color:var(--soft)}
.legend li{display:flex;align-items:center;gap:.4rem}
.sign{display:inline-block;width:.5rem;height:.9rem;background:var(--rule)}
.sign-primary{width:4px}.sign-replica{width:0;background:none;border-left:2px dotted var(--nobody)}
.sign-handling{background:none;border:1.5px solid var(--who0)}
.sign-record{width:5px;border-radius:3px;background:var(--who0)}.sign-lease{width:5px;border-radius:3px;background:var(--who0);opacity:.45}
.sign-fault{width:.6rem;height:.6rem;background:var(--unknown);transform:rotate(45deg)}
.sign-effect{background:var(--rule)}.sign-repeat{background:var(--alarm)}.sign-effect,.sign-repeat{width:.8rem;height:.8rem;border-radius:50%}
.sign-lost{background:none;width:auto;height:auto}.sign-lost::before{content:"✕";color:var(--cut);font-weight:700}
details.run-table{border-width:1px 0 0;border-radius:0;padding:0;background:none;margin-top:.5rem}
.run-table .scroll{max-height:30rem;overflow:auto}.run-table caption{text-align:left;color:var(--soft);font-size:.875rem;padding:.5rem .9rem}
.run-table td,.run-table th{font-size:.8125rem;padding:.3rem .9rem}.run-table td:first-child{white-space:nowrap;font-variant-numeric:tabular-nums}
.nearest-passing{margin-top:1.25rem;padding-top:1rem;border-top:1px solid var(--line)}.nearest-passing h4{font-size:1rem;color:var(--pass)}
@media (min-width:68rem){.run{grid-template-columns:minmax(0,1fr) 20rem}.panel{position:sticky;top:.75rem;align-self:start;max-height:calc(100vh - 1.5rem);overflow-y:auto}.moment{position:sticky;top:0;background:var(--ground);z-index:1}}
@media (max-width:67.99rem){.moment{position:sticky;bottom:0;background:var(--ground)}}
@media print{
.tools,.moment,.run-table{display:none}.run{display:block}.heads{position:static}.panel{position:static;max-height:none;break-inside:avoid;margin-top:1rem}
.lanes *,.sign{print-color-adjust:exact;-webkit-print-color-adjust:exact}.row[aria-selected=true]{background:none;box-shadow:none}.view{break-inside:avoid}
}
`
