import { accentOf } from '../../../api/resources/brand.ts'
import type { Brand } from '../../../api/resources/brand.ts'

/**
 * Style, script and icon of the pages for people, which have nothing inline and load nothing from elsewhere. They are
 * strings because a built package is one file. The values are those of the console's `styles/tokens.css`, which a server
 * without a console does not have; test/faces/http-brand.test.ts holds both equal.
 */
export const tokens: Record<string, string> = {
  page: 'light-dark(#f8f8fa, #111216)',
  surface: 'light-dark(#ffffff, #181a1f)',
  sunken: 'light-dark(#f1f1f5, #0b0c0f)',
  text: 'light-dark(#18191f, #ececf1)',
  muted: 'light-dark(#5c5f6b, #a3a6b3)',
  line: 'light-dark(#e5e5ea, #2a2c34)',
  'control-line': 'light-dark(#858894, #747885)',
  accent: 'light-dark(#4a45c4, #aab1ff)',
  'on-accent': 'light-dark(#ffffff, #16173a)',
  good: 'light-dark(#166638, #7fd6a0)',
  'good-soft': 'light-dark(#e4f4ea, #142a1e)',
  warn: 'light-dark(#7d4e00, #f0c169)',
  'warn-soft': 'light-dark(#fcf0da, #32270f)',
  bad: 'light-dark(#ae231b, #ff9f96)',
  'bad-soft': 'light-dark(#fcebe9, #3b1b19)',
  radius: '6px',
  'radius-l': '10px',
}

const declared = (values: Record<string, string>) =>
  `:root { ${Object.entries(values)
    .map(([name, value]) => `--${name}: ${value}`)
    .join('; ')} }\n`

const accentStyle = (colour: string): string => {
  const { light, onLight, dark, onDark } = accentOf(colour)
  return declared({ accent: `light-dark(${light}, ${dark})`, 'on-accent': `light-dark(${onLight}, ${onDark})` })
}

/** The colour of the operator in both designs, and the logo: beside a name it is small. */
export const brandStyle = ({ name, colour, logo }: Brand): string =>
  [
    colour === undefined ? '' : accentStyle(colour),
    logo
      ? `.logo { width: ${name === undefined ? '10rem' : '1.75rem'}; background-image: url("logo") }
`
      : '',
  ].join('')

export const style = `:root { color-scheme: light dark }
${declared(tokens)}* { box-sizing: border-box }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.5 Inter, -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Liberation Sans", system-ui, sans-serif }
.brand { display: flex; align-items: center; gap: .6rem; max-width: 34rem; margin: 5vh auto 0; padding: 0 2rem; font-weight: 600; overflow-wrap: anywhere }
.logo { flex: none; width: 1.75rem; height: 1.75rem; background: url("icon.svg") left / contain no-repeat }
main { max-width: 34rem; margin: 1rem auto 6vh; padding: 2rem; background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius-l) }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; font-weight: 600; overflow-wrap: anywhere }
h2 { margin: 1.75rem 0 .25rem; font-size: 1rem; font-weight: 600 }
p { margin: .5rem 0 }
.quiet { color: var(--muted) }
.mark { display: inline-block; margin-bottom: .75rem; padding: .1rem .6rem; border-radius: 99px; font-size: .875rem; font-weight: 500 }
.good { color: var(--good); background: var(--good-soft) }
.bad { color: var(--bad); background: var(--bad-soft) }
.note { padding: .6rem .8rem; border-radius: var(--radius) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.25rem; margin: 1.25rem 0 }
dt { color: var(--muted) }
dd { margin: 0; overflow-wrap: anywhere }
label { display: block; margin-top: 1rem; font-weight: 500 }
input, select { width: 100%; margin-top: .25rem; padding: .6rem .7rem; font: inherit; color: inherit; background: var(--surface); border: 1px solid var(--control-line); border-radius: var(--radius) }
input[type="checkbox"] { width: 1.1rem; height: 1.1rem; margin: 0 .5rem 0 0; accent-color: var(--accent); vertical-align: -.15em }
input[type="checkbox"] + label { display: inline; margin: 0; font-weight: 400 }
legend input[type="checkbox"] + label { font-weight: 500 }
fieldset { margin: 1rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: var(--radius); min-width: 0 }
.tools { margin: .5rem 0 0; padding-left: 1.2rem }
.tag { padding: 0 .45rem; border-radius: 99px; font-size: .8125rem; background: var(--sunken); color: var(--muted) }
.tag.costs, .tag.deletes { background: var(--warn-soft); color: var(--warn) }
.hint { margin: .25rem 0 0; font-size: .875rem; color: var(--muted) }
.button { display: inline-block; margin-top: 1.25rem; padding: .6rem 1.2rem; font: inherit; font-weight: 500; color: var(--on-accent); background: var(--accent); border: 1px solid var(--accent); border-radius: var(--radius); text-decoration: none; cursor: pointer }
.plain { color: var(--accent); background: none }
a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
ol { padding-left: 1.2rem }
footer { margin-top: 1.75rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .875rem; color: var(--muted) }
@media (max-width: 38rem) {
  .brand { margin-top: 1rem; padding: 0 1.25rem }
  main { margin: 1rem 0 0; padding: 1.25rem; border-width: 1px 0 0; border-radius: 0; min-height: 90vh }
  dl { grid-template-columns: 1fr; gap: 0 }
  dd { margin-bottom: .6rem }
}
`

/**
 * Runs before the page is shown. A token or code in the fragment or query is removed from the address bar and the
 * history at once; a returned token is filled into its field, and the person decides whether to use it.
 */
export const script = `(() => {
  const { tell, to } = document.currentScript.dataset
  const listener = window.opener || (parent === window ? null : parent)
  // The browser delivers a message only to a page of the origin that it is for.
  if (tell && listener) for (const origin of to.split(' ')) listener.postMessage({ toolyard: 'connect', ...JSON.parse(tell) }, origin)
  const fragment = new URLSearchParams(location.hash.slice(1))
  if (location.hash !== '' || document.currentScript.dataset.clear === 'query') history.replaceState(null, '', location.pathname)
  if (![...fragment.keys()].length) return
  document.addEventListener('DOMContentLoaded', () => {
    const show = (id) => { const note = document.getElementById(id); if (note) note.hidden = false }
    const field = document.querySelector('input[name="token"]')
    const token = fragment.get('token')
    if (token && field) {
      field.value = token
      show('returned')
      document.getElementById('connect').focus()
    } else if (fragment.has('error')) show('not-allowed')
  })
})()
`

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#4a45c4"/><path d="M9 11h14M16 11v13" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>
`
