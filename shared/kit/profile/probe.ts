import * as z from 'zod'
import type { Infer } from './infer.ts'
import { scalar, texts } from './infer.ts'

/** How to find the record that a create may have made when its reply was lost. */
export const createProbe = () =>
  z.strictObject({
    after: z.string().describe('Path of the create.'),
    where: z
      .record(z.string(), scalar())
      .optional()
      .describe(
        'Dotted path in the body of the create → the value there, where several creates have the same path: `{"operationName": "createIssue"}`.',
      ),
    find: z
      .strictObject({
        path: z
          .string()
          .describe(
            'Its path; `{names}` are parts of the path of `after`, or fields of its query or body, with dots into the body.',
          ),
        query: z
          .record(z.string(), scalar())
          .optional()
          .describe('Its parameters; a value that is `{name}` as a whole is filled like one in the path.'),
        in: z
          .enum(['query', 'body'])
          .optional()
          .describe(
            'Where `query` goes: into the query of a GET (default) or the JSON body of a POST, where its names are dotted paths such as `variables.id`.',
          ),
      })
      .describe('The request that lists candidates.'),
    list: z.string().describe('Dotted path to the list in the reply; empty for the whole body.'),
    same: texts().describe('Dotted path in a candidate → name of the value it has to equal.'),
    id: z.string().min(1).optional().describe('Dotted path in a candidate to its id; default `id`.'),
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
    timeAs: z
      .enum(['date', 'epoch-s', 'epoch-ms'])
      .optional()
      .describe('Form of that time: RFC 3339 (default), or Unix time in seconds or ms.'),
    pageSize: z
      .int()
      .min(1)
      .optional()
      .describe(
        'How many items the list holds at most; a list as long may have more behind it. Default: the parameter `limit` of `find.query`.',
      ),
  })
export type CreateProbe = Infer<typeof createProbe>
