/** The default theme with the fonts of the system, so that no page loads a font. */
export { default } from 'vitepress/theme-without-fonts'
