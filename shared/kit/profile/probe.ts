import * as z from 'zod'
import type { Infer } from './infer.ts'
import { scalar, texts } from './infer.ts'

/** How to find the record that a create may have made when its reply was lost. */
export const createProbe = () =>
  z.strictObject({
    after: z.string().describe('Path of the create.'),
    find: z
      .strictObject({
        path: z.string().describe('Its path; `{names}` are parts of the path of `after` or fields of its body.'),
        query: z.record(z.string(), scalar()).optional().describe('Its query.'),
      })
      .describe('The request that lists candidates.'),
    list: z.string().describe('Dotted path to the list in the reply; empty for the whole body.'),
    same: texts().describe('Dotted path in a candidate → name of the value it has to equal.'),
    idHoldsTime: z
      .boolean()
      .optional()
      .describe(
        'Ids begin with the creation time in hexadecimal Unix seconds, so that older records can be ruled out.',
      ),
    createdAt: z
      .string()
      .optional()
      .describe('Dotted path in an item to the time it was created, so that older records can be ruled out.'),
    pageSize: z
      .int()
      .min(1)
      .optional()
      .describe(
        'How many items the list holds at most; a list as long may have more behind it. Default: the parameter `limit` of `find.query`.',
      ),
  })
export type CreateProbe = Infer<typeof createProbe>
