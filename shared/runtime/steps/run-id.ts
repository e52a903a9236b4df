import { randomUUIDv7 } from 'node:crypto'

const made = { at: 0, count: 0, head: '', tail: '' }
const counts: string[] = []

/**
 * A UUID of version 7 whose first random bits count within the millisecond (RFC 9562, 6.2, method 1), so that runs are
 * listed newest first however quickly they follow each other. The other random bits are drawn once per millisecond: an
 * id is no secret.
 */
export const newRunId = () => {
  const now = Date.now()
  made.count += 1
  // Beyond 4,096 ids in a millisecond, the random bits still keep them distinct, but not in order.
  if (now !== made.at || made.count > 0xfff) {
    made.at = now
    const random = randomUUIDv7()
    const head = random.slice(0, 14)
    if (head !== made.head || made.count > 0xfff) Object.assign(made, { count: 0, head, tail: random.slice(18) })
  }
  return made.head + (counts[made.count] ??= (0x7000 + made.count).toString(16)) + made.tail
}
