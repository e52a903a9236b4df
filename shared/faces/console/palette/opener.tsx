/** Opens the command palette. It is part of every page: what is typed while a file loads would be lost. */
import { useLayoutEffect, useState } from 'preact/hooks'
import { Glyph } from '../ui/index.ts'
import { Palette } from './palette.tsx'

const isMac = /mac/i.test(navigator.platform)

export const PaletteOpener = () => {
  const [isOpen, setOpen] = useState(false)
  const open = () => setOpen(true)
  // As soon as the page is there, so that its first key is heard.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      // Another dialog asks for a decision first.
      if (document.querySelector('dialog[open]') === null) open()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button
        type="button"
        class="side-button side-search"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        onClick={open}
      >
        <Glyph name="search" />
        <span>Go to…</span>
        <kbd aria-hidden="true">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {isOpen && <Palette close={() => setOpen(false)} />}
    </>
  )
}
