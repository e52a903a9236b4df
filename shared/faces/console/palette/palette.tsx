/** Goes to any page, step, trigger, connection or recent event by its name. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { Glyph } from '../ui/index.ts'
import { useEntries } from './use-entries.ts'
import type { Entry } from './use-entries.ts'

const Option = ({ entry, id, isActive, go }: { entry: Entry; id: string; isActive: boolean; go(): void }) => (
  <li
    role="option"
    id={id}
    aria-selected={isActive}
    class={isActive ? 'active' : undefined}
    // The search box keeps the focus.
    onPointerDown={(event) => event.preventDefault()}
    onClick={go}
  >
    <Glyph name={entry.glyph} />
    <span class="palette-title">{entry.title}</span>
    <span class="palette-about">{entry.about}</span>
  </li>
)

const Key = ({ text, does }: { text: string; does: string }) => (
  <span>
    <kbd>{text}</kbd> {does}
  </span>
)

/** The chosen option, by the arrow keys; it stays in view. */
const useActive = (count: number, text: string) => {
  const [active, setActive] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  // Before the next key is pressed, so that an arrow key counts from there.
  useLayoutEffect(() => setActive(0), [text])
  const at = Math.min(active, Math.max(0, count - 1))
  useEffect(() => list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest' }), [at, count])
  const move = (key: string) => {
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + 8, PageUp: at - 8 }[key]
    if (to === undefined) return false
    const isStep = key.startsWith('Arrow')
    // The arrow keys go round, the page keys stop at the ends.
    setActive(isStep ? (to + count) % count : Math.min(Math.max(to, 0), count - 1))
    return true
  }
  return { active: at, list, move }
}

export const Palette = ({ close }: { close(): void }) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const { route } = useLocation()
  const [text, setText] = useState('')
  const { groups, isCurrent } = useEntries(text)
  const entries = groups.flatMap((group) => group.entries)
  const { active, list, move } = useActive(entries.length, text)
  const hasGone = useRef(false)
  const wantsFirst = useRef(false)
  // Before the next key is pressed, so that the input gets every letter.
  useLayoutEffect(() => {
    const opener = document.activeElement
    const element = dialog.current
    element?.showModal()
    return () => {
      // What lies behind an open dialog takes no focus.
      element?.close()
      if (!hasGone.current && opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  const go = ({ href }: Entry) => {
    hasGone.current = true
    dialog.current?.close()
    // The heading of the page takes the focus when nothing else has it.
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    route(href)
    close()
  }
  // Enter may be pressed before the server has answered.
  useEffect(() => {
    if (isCurrent && wantsFirst.current && entries[0]) go(entries[0])
    wantsFirst.current = false
  }, [isCurrent])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.isComposing) {
      const entry = entries[active]
      if (isCurrent && entry) go(entry)
      else wantsFirst.current = !isCurrent
    } else if (entries.length === 0 || !move(event.key)) return
    event.preventDefault()
  }
  let at = -1
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Go to"
      onClose={close}
      onCancel={close}
      onPointerDown={(event) => event.target === dialog.current && close()}
    >
      <div class="palette-box">
        <Glyph name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Go to a page, step, trigger, connection or event"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={entries.length > 0 ? `${id}-${active}` : undefined}
          placeholder="Page, step, trigger, connection or event"
          autocomplete="off"
          spellcheck={false}
          maxLength={256}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        <button type="button" class="side-button" aria-label="Close" onClick={close}>
          <Glyph name="close" />
        </button>
      </div>
      <div class="palette-list" role="listbox" id={`${id}-list`} aria-label="Results" ref={list}>
        {groups.map(({ title, entries: inGroup }) => (
          <ul role="group" key={title} aria-labelledby={`${id}-${title}`}>
            <li role="presentation" class="palette-group" id={`${id}-${title}`}>
              {title}
            </li>
            {inGroup.map((entry) => {
              at += 1
              return (
                <Option
                  key={entry.key}
                  entry={entry}
                  id={`${id}-${at}`}
                  isActive={at === active}
                  go={() => go(entry)}
                />
              )
            })}
          </ul>
        ))}
      </div>
      <p class="palette-foot" role="status">
        {entries.length > 0 ? (
          <>
            <Key text="↑ ↓" does="choose" /> <Key text="Enter" does="opens" /> <Key text="Esc" does="closes" />
          </>
        ) : isCurrent ? (
          `Nothing is called “${text.trim()}”.`
        ) : (
          'Searching…'
        )}
      </p>
    </dialog>
  )
}
