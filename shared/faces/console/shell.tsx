import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { consoleRoot, may, server, isServerUnreachable, session, signOut, useAction } from './api/index.ts'
import { PaletteOpener } from './palette/opener.tsx'
import { groups, placeOf } from './places.ts'
import { Button, Glyph, Mark, ProblemBox } from './ui/index.ts'

const Navigation = () => {
  const { path } = useLocation()
  const current = placeOf(path.slice(consoleRoot.length))
  return (
    <nav aria-label="Main" id="main-navigation">
      {groups
        .map(({ title, places }) => ({
          title,
          places: places.filter(({ scope }) => scope === undefined || may(scope)),
        }))
        .filter(({ places }) => places.length > 0)
        .map(({ title, places }) => (
          <div key={title}>
            {title && <p id={`navigation-${title}`}>{title}</p>}
            <ul aria-labelledby={title && `navigation-${title}`}>
              {places.map(({ path: to, title: name, glyph }) => (
                <li key={to}>
                  <a href={consoleRoot + to} title={name} aria-current={to === current ? 'page' : undefined}>
                    <Glyph name={glyph} />
                    <span>{name}</span>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
    </nav>
  )
}

/** Who is signed in; closes when the focus or a click goes elsewhere. */
const Who = () => {
  const { run, busy, problem } = useAction(signOut)
  const menu = useRef<HTMLDetailsElement>(null)
  const tenant = session.value?.tenant
  useEffect(() => {
    const close = ({ target }: Event) => {
      if (menu.current?.open && !menu.current.contains(target as Node)) menu.current.open = false
    }
    addEventListener('pointerdown', close)
    return () => removeEventListener('pointerdown', close)
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !menu.current?.open) return
    menu.current.open = false
    menu.current.querySelector('summary')?.focus()
  }
  return (
    <details class="who" ref={menu} onKeyDown={onKeyDown}>
      <summary>
        <span class="initial" aria-hidden="true">
          {[...(tenant?.name ?? '')][0]}
        </span>
        <span>{tenant?.name}</span>
        <Glyph name="updown" />
      </summary>
      <div class="menu">
        <p>
          Signed in with the token “{session.value?.token.name}” of the tenant {tenant?.id}.
        </p>
        <p class="muted">toolyard {server.value?.version}</p>
        <ProblemBox problem={problem} />
        <Button busy={busy} onClick={() => void run()}>
          Sign out
        </Button>
      </div>
    </details>
  )
}

const storedAs = 'toolyard-navigation'

/** Whether the navigation shows its icons only, kept in this browser. */
const useNarrowed = () => {
  const [isNarrowed, setNarrowed] = useState(() => {
    try {
      return localStorage.getItem(storedAs) === 'narrow'
    } catch {
      // A browser may refuse storage; the navigation is then wide.
      return false
    }
  })
  const toggle = () => {
    setNarrowed(!isNarrowed)
    try {
      localStorage.setItem(storedAs, isNarrowed ? 'wide' : 'narrow')
    } catch {
      // The choice then lasts until the page is loaded again.
    }
  }
  return { isNarrowed, toggle }
}

/** The navigation on narrow screens: closed by going to a page, by Escape, and by a press elsewhere. */
const useMenu = () => {
  const { path } = useLocation()
  const [isOpen, setOpen] = useState(false)
  const side = useRef<HTMLElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  // Before it can be opened on the new page.
  useLayoutEffect(() => setOpen(false), [path])
  // Before the next key is pressed.
  useLayoutEffect(() => {
    if (!isOpen) return undefined
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return
      setOpen(false)
      button.current?.focus()
    }
    const onPress = ({ target }: Event) => {
      if (!side.current?.contains(target as Node)) setOpen(false)
    }
    addEventListener('keydown', onKey)
    addEventListener('pointerdown', onPress)
    return () => {
      removeEventListener('keydown', onKey)
      removeEventListener('pointerdown', onPress)
    }
  }, [isOpen])
  return { isOpen, setOpen, side, button }
}

/** The frame around every page of a signed-in user. */
export const Shell = ({ children }: { children: ComponentChildren }) => {
  const { isNarrowed, toggle } = useNarrowed()
  const { isOpen, setOpen, side, button } = useMenu()
  return (
    <div class={isNarrowed ? 'frame narrowed' : 'frame'}>
      <header ref={side} class={isOpen ? 'side opened' : 'side'}>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <div class="side-top">
          <a class="brand" href={consoleRoot}>
            <Mark />
            <span>toolyard</span>
          </a>
          <button
            type="button"
            class="side-button side-fold"
            aria-label="Show icons only"
            aria-pressed={isNarrowed}
            onClick={toggle}
          >
            <Glyph name={isNarrowed ? 'unfold' : 'fold'} />
          </button>
          <PaletteOpener />
          <button
            type="button"
            class="side-button side-menu"
            ref={button}
            aria-label="Navigation"
            aria-expanded={isOpen}
            aria-controls="main-navigation"
            onClick={() => setOpen(!isOpen)}
          >
            <Glyph name={isOpen ? 'close' : 'menu'} />
          </button>
        </div>
        <div class="side-body">
          <Navigation />
          <Who />
        </div>
      </header>
      <div class="page">
        {isServerUnreachable.value && (
          <p class="banner bad" role="alert">
            The server does not answer. Check that it is running; this page goes on when it is back.
          </p>
        )}
        {children}
      </div>
    </div>
  )
}
