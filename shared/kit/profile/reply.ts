import * as z from 'zod'
import { failures } from '../failure-table.ts'
import type { FailureCode } from '../failure-table.ts'
import { once } from '../once.ts'
import type { Infer } from './infer.ts'
import { scalar } from './infer.ts'
import { limitScope } from './pace.ts'

/** All given parts of a condition must hold. */
export const replyCondition = once(() =>
  z.strictObject({
    status: z
      .union([z.int(), z.tuple([z.int(), z.int()])])
      .optional()
      .describe('Condition: the status, or its range [from, to].'),
    header: z
      .strictObject({
        name: z.string().min(1).describe('Its name, in any case.'),
        equals: z.string().optional().describe('Its exact value.'),
        present: z.boolean().optional().describe('`false`: it is absent.'),
      })
      .optional()
      .describe('A header of the reply; without `equals` and `present`: it is there.'),
    path: z
      .string()
      .optional()
      .describe(
        'Condition: dotted path into the JSON body that `is`, `equals`, `begins` and `contains` look at; empty for the whole body.',
      ),
    is: z.enum(['null', 'absent', 'empty', 'present']).optional().describe('Condition on the value there.'),
    equals: scalar().optional().describe('Condition: the value there is exactly this.'),
    contains: z
      .string()
      .optional()
      .describe('Condition: the value there (or the whole text) contains this, in any case.'),
    // `begins` fits a text about somebody; `contains` also fits one that only mentions them.
    begins: z
      .string()
      .min(1)
      .optional()
      .describe('Condition: the value there (or the whole text) begins with this, in any case.'),
  }),
)
export type ReplyCondition = Infer<typeof replyCondition>

/** A status alone does not mean a no match: it may come from a gateway, another host or a wrong path. */
export const noMatchRule = () =>
  replyCondition().refine(({ status, path, is, equals, contains, begins }) => {
    const highest = Array.isArray(status) ? status[1] : (status ?? 599)
    const saysWhat = equals !== undefined || contains !== undefined || begins !== undefined
    return highest < 300 || saysWhat || ((path ?? '') !== '' && is !== undefined)
  }, 'a no match by another status than 2xx has to name what the body says: "begins", "equals", or "is" at a "path"')

export const errorRule = once(() =>
  z.strictObject({
    ...replyCondition().shape,
    failure: z.enum(Object.keys(failures) as FailureCode[]).describe('The [failure](steps.md#failures) that it means.'),
    message: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('Sentence in place of the usual one: the cause, and what the account owner can do.'),
    effect: z
      .enum(['read', 'write'])
      .optional()
      .describe(
        'Only replies to requests that read, or only to those that write or cost something. With `read` and `provider_failed`, the request is sent again; with `write` and `outcome_unknown`, nobody repeats what may have happened.',
      ),
    pauses: limitScope().optional().describe('What a `rate_limited` reply pauses; default `connection`.'),
  }),
)
export type ErrorRule = Infer<typeof errorRule>

export const errorDetails = () =>
  z.strictObject({
    message: z.array(z.string()).optional().describe('Dotted paths of the message; the first text wins.'),
    // An item may also be plain text.
    list: z
      .strictObject({
        at: z
          .string()
          .describe(
            'Dotted path of the list, or of an object that has what is wrong by the name of the field; `""` is the whole body.',
          ),
        field: z.string().optional().describe('Dotted path of the name of the field, in an item.'),
        code: z.string().optional().describe('Dotted path of a code, in an item; shown where there is no message.'),
        message: z.string().optional().describe('Dotted path of the message, in an item.'),
      })
      .optional()
      .describe('The list of wrong fields. They are part of the failure: in its message, and as `errors`.'),
  })
export type ErrorDetails = Infer<typeof errorDetails>
