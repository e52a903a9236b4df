/**
 * Style, script and icon of the connect pages, which have nothing inline and load nothing from elsewhere. They are
 * strings because a built package is one file.
 */
export const style = `:root {
  color-scheme: light dark;
  --ground: #f4f5f7; --panel: #fff; --ink: #1b1f24; --quiet: #57606a; --line: #d0d7de; --strong: #0b5fc0; --on-strong: #fff;
  --good: #136c34; --good-ground: #e4f4e8; --bad: #a21b1b; --bad-ground: #fdeaea;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #12161c; --panel: #1b2129; --ink: #e8ecf1; --quiet: #a9b4c0; --line: #3a434e; --strong: #7db7ff; --on-strong: #0b1420;
    --good: #7fd99a; --good-ground: #16301f; --bad: #ff9d9d; --bad-ground: #3a1d1f;
  }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif }
main { max-width: 34rem; margin: 6vh auto; padding: 2rem; background: var(--panel); border: 1px solid var(--line); border-radius: 12px }
h1 { margin: 0 0 .5rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere }
h2 { margin: 1.75rem 0 .25rem; font-size: 1rem }
p { margin: .5rem 0 }
.quiet { color: var(--quiet) }
.mark { display: inline-block; margin-bottom: .75rem; padding: .1rem .6rem; border-radius: 99px; font-size: .85rem; font-weight: 600 }
.good { color: var(--good); background: var(--good-ground) }
.bad { color: var(--bad); background: var(--bad-ground) }
.note { padding: .6rem .8rem; border-radius: 8px }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.25rem; margin: 1.25rem 0 }
dt { color: var(--quiet) }
dd { margin: 0; overflow-wrap: anywhere }
label { display: block; margin-top: 1rem; font-weight: 600 }
input, select { width: 100%; margin-top: .25rem; padding: .6rem .7rem; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 8px }
.hint { margin: .25rem 0 0; font-size: .9rem; color: var(--quiet) }
.button { display: inline-block; margin-top: 1.25rem; padding: .6rem 1.2rem; font: inherit; font-weight: 600; color: var(--on-strong); background: var(--strong); border: 0; border-radius: 8px; text-decoration: none; cursor: pointer }
.plain { color: var(--strong); background: none; border: 1px solid var(--strong) }
a { color: var(--strong) }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px }
ol { padding-left: 1.2rem }
footer { margin-top: 1.75rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: .9rem; color: var(--quiet) }
@media (max-width: 38rem) { main { margin: 0; border: 0; border-radius: 0; min-height: 100vh } }
`

/**
 * Runs before the page is shown. A token or code in the fragment or query is removed from the address bar and the
 * history at once; a returned token is filled into its field, and the person decides whether to use it.
 */
export const script = `(() => {
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

export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b5fc0"/><path d="M9 11h14M16 11v13" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>
`
