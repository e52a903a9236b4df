/** The list from which a step or a trigger is picked. */
import { useLocation } from 'preact-iso/router'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { Badges, Button, ChoiceField, Details, Empty, Icon, ProblemBox, useAddress } from '../../ui/index.ts'
import type { BadgeWords } from '../../ui/index.ts'
import { rankKey, useRanking } from './use-ranking.ts'
import type { Kind } from './use-ranking.ts'

export type PickEntry = {
  /** What the server's ranking calls it: its integration and its id. */
  integration: string
  id: string
  href: string
  /** Entries are grouped by section, then by group. `badge`: what holds for the whole section. */
  section: { title: string; icon: string | null; badge?: BadgeWords | undefined }
  group?: string
  /** Another entry replaces it: it is folded away. */
  isReplaced?: boolean
  title: string
  purpose: string
  icon: string | null
  badges: BadgeWords[]
  /** The entry's values for each filter; a filter shows the entries that have the chosen value. */
  facets: Record<string, string[]>
}
/** A filter whose chosen value is in the address, as the query parameter `name`. */
export type PickFilter = { name: string; label: string; choices: [value: string, label: string][] }

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], dialog') !== null

/**
 * The text of the search box. It is written to the address once typing pauses, because browsers limit how often the
 * address may change.
 */
const useSearchText = () => {
  const { query, change } = useAddress()
  const inAddress = query['query'] ?? ''
  const [text, setText] = useState(inAddress)
  const written = useRef(inAddress)
  useEffect(() => {
    // The address was changed by the back button or a link to this page.
    if (inAddress !== written.current) setText((written.current = inAddress))
  }, [inAddress])
  useEffect(() => {
    if (text === written.current) return undefined
    const timer = setTimeout(() => change({ query: (written.current = text) }), 300)
    return () => clearTimeout(timer)
  }, [text])
  return { text, setText }
}

/** `/` moves the focus to the search box; the arrow keys move it through the list. */
const useKeys = () => {
  const box = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      event.preventDefault()
      box.current?.focus()
      box.current?.select()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const move = (event: KeyboardEvent) => {
    // Links in what is folded cannot take the focus.
    const links = [...(list.current?.querySelectorAll('a') ?? [])].filter((link) => link.getClientRects().length > 0)
    const at = links.indexOf(event.target as HTMLAnchorElement)
    const isBox = event.target === box.current
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, ...(isBox ? {} : { Home: 0, End: links.length - 1, Escape: -1 }) }[
      event.key
    ]
    if (to === undefined || (isBox && to < 0)) return
    event.preventDefault()
    if (to < 0) box.current?.focus()
    else links[Math.min(to, links.length - 1)]?.focus()
  }
  return { box, list, move }
}

const Entry = ({ entry, showsSection }: { entry: PickEntry; showsSection: boolean }) => (
  <li>
    <Icon path={entry.icon} />
    <div>
      <a href={entry.href}>{entry.title}</a>
      <p>{entry.purpose}</p>
    </div>
    <span class="badges">
      {showsSection && <span class="muted">{entry.section.title}</span>}
      <Badges badges={entry.badges} />
    </span>
  </li>
)

const Entries = ({ entries, showsSection = false }: { entries: PickEntry[]; showsSection?: boolean }) => (
  <ul class="entries">
    {entries.map((entry) => (
      <Entry key={entry.href} entry={entry} showsSection={showsSection} />
    ))}
  </ul>
)

/** Entries grouped by name, in the order of their first entry. */
const groupBy = (entries: PickEntry[], nameOf: (entry: PickEntry) => string) => [...Map.groupBy(entries, nameOf)]

/** Entries, and behind a fold those that others replace. */
const Foldable = ({ entries, many, showsSection }: { entries: PickEntry[]; many: string; showsSection?: boolean }) => {
  const [current, replaced] = [
    entries.filter((entry) => !entry.isReplaced),
    entries.filter((entry) => entry.isReplaced),
  ]
  return (
    <>
      {current.length > 0 && <Entries entries={current} {...(showsSection ? { showsSection } : {})} />}
      {replaced.length > 0 && (
        <Details title={`Older ${many}, replaced by others`} count={replaced.length} open={current.length === 0}>
          <Entries entries={replaced} {...(showsSection ? { showsSection } : {})} />
        </Details>
      )}
    </>
  )
}

const SectionTitle = ({ section: { title, icon, badge }, count }: { section: PickEntry['section']; count: number }) => (
  <h2 class="row">
    <Icon path={icon} />
    {title} <span class="count">{count}</span>
    {badge && <Badges badges={[badge]} />}
  </h2>
)

const Sections = ({ entries, many }: { entries: PickEntry[]; many: string }) =>
  groupBy(entries, ({ section }) => section.title).map(([title, inSection]) => (
    <section key={title} aria-label={title}>
      <SectionTitle section={inSection[0]!.section} count={inSection.length} />
      {groupBy(inSection, ({ group = '' }) => group).map(([group, inGroup]) =>
        group === '' ? (
          <Foldable key={group} entries={inGroup} many={many} />
        ) : (
          <details class="group" key={group} open>
            <summary>
              <h3>{group}</h3> <span class="count">{inGroup.length}</span>
            </summary>
            <Foldable entries={inGroup} many={many} />
          </details>
        ),
      )}
    </section>
  ))

/** Those that the ranking names, the best first. */
const inOrder = (entries: PickEntry[], ranking: string[]) => {
  const byKey = new Map(entries.map((entry) => [rankKey(entry), entry]))
  return ranking.flatMap((key) => byKey.get(key) ?? [])
}

type PickerProps = {
  kind: Kind
  /** Singular and plural of what is picked. */
  names: [one: string, many: string]
  entries: PickEntry[]
  filters: PickFilter[]
  /** What else the user can do when nothing matches. */
  otherwise?: ComponentChildren
}

/** Search box, filters and the entries that match both; the search text and the filters are in the address. */
export const Picker = ({ kind, names: [singular, many], entries, filters, otherwise }: PickerProps) => {
  const id = useId()
  const { route } = useLocation()
  const { query, change } = useAddress()
  const { text, setText } = useSearchText()
  const { box, list, move } = useKeys()
  const { ranking, isCurrent, problem } = useRanking(kind, text)
  const chosen = filters.filter(({ name }) => query[name] !== undefined)
  const filtered = entries.filter(({ facets }) => chosen.every(({ name }) => facets[name]?.includes(query[name]!)))
  const matchingEntries = ranking === undefined ? filtered : inOrder(filtered, ranking)
  const isSearching = text.trim() !== ''
  const clear = () => {
    setText('')
    change(Object.fromEntries([...filters.map(({ name }) => [name, '']), ['query', '']]))
    box.current?.focus()
  }
  // Enter may be pressed before the server has answered.
  const wantsFirst = useRef(false)
  const openFirst = () => {
    if (isSearching && isCurrent && matchingEntries[0]) route(matchingEntries[0].href)
    else wantsFirst.current = isSearching && !isCurrent
  }
  useEffect(() => {
    if (wantsFirst.current && isCurrent) openFirst()
  }, [isCurrent])
  return (
    <div class="picker" onKeyDown={move}>
      <form
        role="search"
        class="pick-search"
        onSubmit={(event) => {
          event.preventDefault()
          openFirst()
        }}
      >
        <div class="field">
          <label for={id}>Search {many}</label>
          <input
            id={id}
            ref={box}
            type="search"
            value={text}
            autocomplete="off"
            spellcheck={false}
            aria-keyshortcuts="/"
            placeholder="What should happen?"
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </div>
        {filters.map(({ name, label, choices }) => (
          <ChoiceField
            key={name}
            name={name}
            label={label}
            value={query[name] ?? ''}
            change={(value) => change({ [name]: value })}
            options={[['', 'All'], ...choices]}
          />
        ))}
      </form>
      <ProblemBox problem={problem} />
      <p class="pick-about" role="status">
        {matchingEntries.length} {matchingEntries.length === 1 ? singular : many}.{' '}
        <span class="keys">
          <kbd>/</kbd> searches, <kbd>↓</kbd> and <kbd>↑</kbd> move, <kbd>Enter</kbd> opens.
        </span>
      </p>
      <div ref={list}>
        {matchingEntries.length === 0 ? (
          <Empty
            picture="search"
            title={isSearching ? `No ${singular} matches “${text.trim()}”` : `No ${singular} matches the filters`}
          >
            <p>Try fewer or other words: titles, purposes and keywords are searched.</p>
            <p class="row">
              <Button onClick={clear}>Show all {many}</Button>
            </p>
            {otherwise}
          </Empty>
        ) : isSearching ? (
          <Foldable entries={matchingEntries} many={many} showsSection />
        ) : (
          <Sections entries={matchingEntries} many={many} />
        )}
      </div>
    </div>
  )
}
