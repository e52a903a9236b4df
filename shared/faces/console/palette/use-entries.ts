/** What the command palette offers. */
import type { Event } from '../../../api/resources/event.ts'
import {
  consoleRoot,
  integrationTitle,
  manifestOf,
  may,
  pathTo,
  session,
  titleOf,
  triggerOf,
  useConnections,
  useItems,
} from '../api/index.ts'
import { eventPath } from '../pages/events/words.tsx'
import { useCatalogueSearch } from '../pages/picker/use-ranking.ts'
import { mayRun } from '../pages/steps/describe.ts'
import { allPlaces } from '../places.ts'
import type { GlyphName } from '../ui/index.ts'

/** `words`: more words to find it by. */
export type Entry = { key: string; title: string; about: string; glyph: GlyphName; href: string; words?: string }
export type EntryGroup = { title: string; entries: Entry[] }

/** What a group shows of many matches: more of the text narrows them. */
const maxEntries = 6
const latestEvents = 50

const wordsOf = (text: string) =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')

/** Whether each word of the text begins a word of these texts. */
const beginAll = (text: string, ...texts: string[]) => {
  const own = wordsOf(texts.join(' '))
  return wordsOf(text).every((word) => own.some((candidate) => candidate.startsWith(word)))
}
/** The entries that the text names; those that only have its words elsewhere come last. */
const namedBy = (entries: Entry[], text: string) => {
  const named = entries.filter(({ title, about, words = '' }) => beginAll(text, title, about, words))
  const inName = (entry: Entry) => beginAll(text, entry.title, entry.about)
  return [...named.filter(inName), ...named.filter((entry) => !inName(entry))]
}

const pages = (): Entry[] =>
  allPlaces
    .filter(({ scope }) => scope === undefined || may(scope))
    .map(({ path, title, about = '', glyph, words = '' }) => ({
      key: `page ${path}`,
      title,
      about,
      glyph,
      words,
      href: consoleRoot + path,
    }))

const useConnectionEntries = (): Entry[] =>
  useConnections(undefined, may('read') || may('connections')).items.map((connection) => ({
    key: `connection ${connection.id}`,
    title: titleOf(connection),
    about: integrationTitle(connection.integration),
    glyph: 'connections',
    href: pathTo('connections', connection.id),
  }))

const useEventEntries = (): Entry[] =>
  useItems<Event>(may('read') ? 'events' : undefined, { limit: latestEvents }).items.map((event) => ({
    key: `event ${event.connection} ${event.id}`,
    title: event.summary?.text ?? event.type,
    about: new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(event.at)),
    glyph: 'events',
    href: eventPath(event),
  }))

/** Steps and triggers that the text means, as the server ranks them. */
const useCatalogueEntries = (text: string) => {
  const { entries = [], isCurrent } = useCatalogueSearch(text)
  const token = session.value!.token
  const allowed = entries.filter(({ kind, integration, id }) => {
    const manifest = manifestOf(integration)
    return kind === 'step'
      ? manifest !== undefined && mayRun(token, manifest, id)
      : may('subscriptions') && triggerOf(integration, id) !== undefined
  })
  return {
    isCurrent,
    entries: allowed.map(({ kind, integration, id, title }): Entry & { kind: string } => ({
      kind,
      key: `${kind} ${integration}/${id}`,
      title,
      about: integrationTitle(integration),
      glyph: kind === 'step' ? 'steps' : 'triggers',
      href: kind === 'step' ? pathTo('steps', integration, id) : pathTo('triggers', integration, id, 'attach'),
    })),
  }
}

/** The entries that the text names, group by group; without a text the pages and the latest events. */
export const useEntries = (text: string): { groups: EntryGroup[]; isCurrent: boolean } => {
  const connections = useConnectionEntries()
  const events = useEventEntries()
  const { entries, isCurrent } = useCatalogueEntries(text)
  const named = (all: Entry[]) => namedBy(all, text)
  const groups: EntryGroup[] =
    text.trim() === ''
      ? [
          { title: 'Pages', entries: pages() },
          { title: 'Latest events', entries: events.slice(0, maxEntries) },
        ]
      : [
          { title: 'Pages', entries: named(pages()).slice(0, maxEntries) },
          { title: 'Steps', entries: entries.filter(({ kind }) => kind === 'step').slice(0, maxEntries) },
          { title: 'Triggers', entries: entries.filter(({ kind }) => kind === 'trigger').slice(0, maxEntries) },
          { title: 'Connections', entries: named(connections).slice(0, maxEntries) },
          { title: 'Events', entries: named(events).slice(0, maxEntries) },
        ]
  return { groups: groups.filter((group) => group.entries.length > 0), isCurrent }
}
