import { once, z } from '#kit'
import { perAliases, text } from './fields.ts'
import type { Make } from './fields.ts'

/** How many items a page has at most, and by default. */
export const pageLimit = () => z.coerce.number().int().min(1).max(200).default(50)

export const page = once(() =>
  z.strictObject({
    limit: pageLimit().describe('Maximum number of items, 1 to 200'),
    cursor: z.string().min(1).max(512).optional().describe('"next" of the previous page'),
  }),
)

/** A page of a list, newest first. */
export const listOf = <T extends z.ZodType>(item: Make<T>) =>
  perAliases((aliases) =>
    z.object({
      items: z.array(item(aliases)),
      next: text.optional().describe('Pass it as cursor to get the next page; absent on the last page'),
    }),
  )
