/** A value of an output, as people read it. */
import { number, OutsideLink, Time } from '../../ui/index.ts'
import { isBlank, isIdPath, isIdValue, isRow, isRows, leavesOf, lineOf } from './records.ts'

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/
const maxItems = 20
const maxText = 600
const maxLink = 60

const shorten = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

const lineOfItem = (item: unknown): string =>
  isRow(item) ? lineOf(item) : Array.isArray(item) ? item.map(lineOfItem).join(', ') : String(item)

/** The value in one line; ids inside it are left out. */
export const textOf = (value: unknown): string => {
  if (isBlank(value)) return ''
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return number(value)
  if (isRow(value))
    return (
      lineOf(value) ||
      leavesOf(value)
        .filter(([path, part]) => !isBlank(part) && !isIdPath(path) && !isIdValue(part))
        .map(([path, part]) => `${path}: ${String(part)}`)
        .join(', ')
    )
  if (!Array.isArray(value)) return String(value)
  const items = value
    .slice(0, maxItems)
    .map(lineOfItem)
    .filter((text) => text !== '')
  return `${items.join(', ')}${value.length > maxItems ? ` and ${value.length - maxItems} more` : ''}`
}

/** `isCell`: in a table, where texts are cut shorter. */
export const Value = ({ value, isCell = false }: { value: unknown; isCell?: boolean }) => {
  if (typeof value === 'string' && moment.test(value)) return <Time at={value} />
  if (typeof value === 'string' && /^https?:\/\/\S+$/i.test(value))
    return <OutsideLink href={value}>{shorten(value.replace(/^https?:\/\/(?:www\.)?/i, ''), maxLink)}</OutsideLink>
  const text = shorten(textOf(value), isCell ? 120 : maxText)
  return isCell || isRows(value) ? <>{text}</> : <span class="value">{text}</span>
}
