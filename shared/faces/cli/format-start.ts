import type { AgentStart } from '../../runtime/triggers/index.ts'
import { plain } from './table.ts'

type Named = { name?: unknown; username?: unknown; id?: unknown }
type Shown = {
  card?: Named
  board?: Named
  by?: Named
  label?: Named
  member?: Named
  checklist?: Named
  attachment?: Named
  from?: { list?: Named; board?: Named }
  to?: { list?: Named; board?: Named }
  text?: unknown
  changed?: unknown
}

const nameOf = (thing: Named | undefined) => {
  const name = thing?.name ?? thing?.username ?? thing?.id
  return typeof name === 'string' ? name : undefined
}
const quoted = (thing: Named | undefined) => {
  const name = nameOf(thing)
  return name === undefined ? [] : [`"${name}"`]
}

const placeOf = (place: Shown['from']) => nameOf(place?.list) ?? nameOf(place?.board) ?? '?'

/** What happened, in a line: the card or board, the way it went, who did it. Whatever a trigger has more is in its JSON. */
export const formatStart = ({ timestamp, data }: AgentStart, title: string): string => {
  const { card, board, by, label, member, checklist, attachment, from, to, text, changed } = (
    typeof data.event === 'object' && data.event !== null ? data.event : {}
  ) as Shown
  const what = [
    ...(card ? quoted(card) : quoted(board)),
    ...[label, member, checklist, attachment].flatMap(quoted),
    ...(from && to ? [`${placeOf(from)} → ${placeOf(to)}`] : []),
    ...(Array.isArray(changed) ? [changed.join(', ')] : []),
    ...(typeof text === 'string' ? [text.length > 60 ? `${text.slice(0, 59)}…` : text] : []),
    ...(by ? [`by ${nameOf(by)}`] : []),
  ]
  const marks = [...(data.test ? ['test'] : []), ...(data.late ? ['late'] : []), data.via, `start ${data.start.slice(0, 12)}…`]
  return plain(`${timestamp.slice(11, 19)} ${title}: ${what.join(', ')}  (${marks.join(', ')})`)
}
