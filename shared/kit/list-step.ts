import { readPage } from './provider-paging.ts'
import type { PagingRule } from './provider-paging.ts'
import { readAs } from './rows.ts'
import type { StepContext } from './step.ts'
import * as z from './zod.ts'

/** Input fields of a step that returns a page of a list: how many records at once, and where to start. */
export const listInput = ({ max, usual = max }: { max: number; usual?: number }) => ({
  limit: z
    .int()
    .min(1)
    .max(max)
    .default(usual)
    .meta({ title: 'Limit', description: `How many at once, 1 to ${max}.` }),
  cursor: z
    .string()
    .optional()
    .meta({ title: 'Cursor', description: 'The "next" of an earlier answer, with the same other fields.' }),
})

/** Output field `next` of such a step. */
export const listNext = () =>
  z.string().optional().meta({ description: 'Give it as cursor to get the rest. Absent at the end.' })

type ListPage<T> = { record: T; what: string; items?: string; limit?: number; cursor?: string | undefined }

/**
 * One page of a list, as `readPage` reads it, with each record checked. `record`: its schema. `what` names the records
 * in the failure: "issues". @throws Failure `bad_reply` for records of another form, and those of `readPage`
 */
export const readRecords = async <T extends z.ZodType>(
  ctx: Pick<StepContext, 'exchange'>,
  request: Parameters<typeof readPage>[1],
  rule: PagingRule,
  { record, what, cursor, ...page }: ListPage<T>,
): Promise<{ records: z.output<T>[]; next?: string }> => {
  const { items, next } = await readPage(ctx, request, rule, { ...page, next: cursor })
  return { records: readAs(z.array(record), items, what), ...(next === undefined ? {} : { next }) }
}
