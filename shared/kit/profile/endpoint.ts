import * as z from 'zod'
import { isBelievable } from '../effect.ts'
import { effects, methods } from '../request.ts'
import { fieldWires } from './field.ts'
import { effectSource } from './effect-source.ts'
import type { Infer } from './infer.ts'
import { jsonValues, texts } from './infer.ts'
import { creditSignal, pricePart } from './price.ts'
import { errorRule, noMatchRule, replyCondition } from './reply.ts'

const place = () => z.enum(['json', 'query'])
/**
 * null: the provider's documents do not show the path. The manifest says `ready: false`, and running fails with
 * `wire_unset`.
 */
const path = () => z.string().startsWith('/').nullable()

const page = () =>
  z.strictObject({
    style: z.enum(['offset', 'page', 'cursor']).describe('What the position is.'),
    place: place().describe('Where position and size go.'),
    position: z.string().describe("The provider's name for the position."),
    size: z.string().describe("The provider's name for the page size."),
    firstPage: z.int().optional().describe('Number of the first page.'),
    asString: z.boolean().optional().describe('Send position and size as strings.'),
    // A smaller page is requested as `min`, and all of it is shown, since all of it is paid.
    min: z.int().positive().optional().describe('Smallest page size the provider takes.'),
    max: z.int().positive().describe('Largest page size.'),
    default: z.int().positive().describe('Page size when the caller gives none.'),
    last: z
      .int()
      .min(0)
      .optional()
      .describe('Last page or offset that the provider answers; no request goes beyond it.'),
    total: z.string().optional().describe('Dotted path to the number of results.'),
    nextCursor: z.string().optional().describe('Dotted path to the next cursor.'),
  })
export type PageRule = Infer<typeof page>

const pending = () =>
  z.strictObject({
    when: z.array(replyCondition()).min(1).describe('What such an answer looks like.'),
    poll: z
      .strictObject({
        path: z.string().startsWith('/').describe('Its path (GET), with {names}.'),
        names: texts().describe('Name → dotted path in the answer that says to wait.'),
      })
      .optional()
      .describe('Request for the result; without it the same request is sent again.'),
    everyMs: z.int().positive().describe('Wait between two requests, in ms.'),
    limitMs: z.int().positive().describe('How long to wait in all, in ms.'),
  })
export type PendingRule = Infer<typeof pending>

const bulk = () =>
  z.strictObject({
    method: z.enum(methods).optional().describe('Method; default POST.'),
    path: path().describe('Path of the bulk request.'),
    max: z.int().positive().nullable().describe('Largest number of records in one request.'),
    envelope: z.string().describe('Name of the list in the body; empty when the body is the list.'),
    constants: jsonValues().optional().describe('Fixed values sent beside the list.'),
    price: z.array(pricePart()).optional().describe('As `price`, for a bulk request.'),
    credits: creditSignal().optional().describe('As `credits`, for a bulk request.'),
    fields: fieldWires().optional().describe('As `fields`, for the items; default: `fields`.'),
    itemConstants: jsonValues().optional().describe('Fixed values of each item.'),
    items: z
      .enum(['object', 'value'])
      .optional()
      .describe('Whether an item is an object, or the bare value of its only field (a list of ids).'),
    beside: z.array(z.string()).optional().describe('Our fields that are sent once per request, beside the list.'),
    itemId: z.string().optional().describe("The provider's name for our item id, where replies repeat it."),
    answerId: z.string().optional().describe('Dotted path of that id in an answer, where it is not `itemId`.'),
    answer: z
      .enum(['array', 'byId'])
      .describe('Whether the reply is a list in the order of the request, or an object by item id.'),
    answers: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .describe('Dotted path to the answers, or several tried in turn.'),
    charge: z.enum(['record', 'match']).describe('Whether each record or each match is charged.'),
    // A record without an answer has failed, unless one of these conditions is `absent` at path ''.
    itemNoMatch: z.array(replyCondition()).optional().describe('What "no match" looks like for one record.'),
    itemErrors: z
      .array(errorRule().omit({ effect: true }))
      .optional()
      .describe('What a failure of one record looks like.'),
    itemRecord: z.array(z.string()).optional().describe('Dotted paths to the record within one answer.'),
  })

const envelope = () =>
  z.strictObject({
    at: z.string().min(1).describe('Dotted name of that part.'),
    as: z
      .enum(['object', 'list'])
      .describe('`object`: that part is an object with the fields; `list`: a list with this object as its only item.'),
    constants: jsonValues().optional().describe('Fixed values sent beside the fields in that object.'),
    beside: z
      .array(z.string())
      .optional()
      .describe('Our fields that stay at the top level, beside that object or list.'),
  })

const probe = () =>
  z.strictObject({
    values: jsonValues().describe('Its values, in our field names.'),
    credits: z.number().min(0).describe('Credits it may cost; 0: free. `wire check` spends none without consent.'),
  })

const join = () =>
  z.strictObject({
    into: z.string().describe('Name under which the record then has the part.'),
    from: z.string().describe('Dotted path to the object that holds the parts.'),
    by: z.string().describe('Dotted path in the record to the key of its part.'),
  })

export const endpoint = () =>
  z
    .strictObject({
      method: z.enum(methods).describe('Method.'),
      path: path().describe('Path.'),
      baseUrl: z
        .string()
        .optional()
        .describe("Address of this endpoint, where it is not the profile's. Callers cannot set it."),
      effect: z
        .enum(effects)
        .optional()
        .describe('What its requests do, where the method does not say it; default: `read` for GET, else as the step.'),
      effectSource: effectSource().optional(),
      place: place().describe('Whether the fields go into the JSON body or the query.'),
      kind: z.string().optional().describe('Kind of record in the reply: a key of `records`.'),
      aliases: z
        .string()
        .optional()
        .describe('Key of `records` by which its records are read, where it is not `kind`.'),
      fields: fieldWires().describe(
        'Our field → how it is sent; null: not offered. A list holds alternatives; the first that fits is sent.',
      ),
      envelope: envelope().optional().describe('The part of the body that holds the fields; absent: its top level.'),
      constants: jsonValues().optional().describe('Fixed values sent with every request.'),
      requires: z
        .array(z.array(z.string()).min(1))
        .min(1)
        .optional()
        .describe(
          'At least one of these sets of our fields has to be given; otherwise the step fails before anything is sent.',
        ),
      identifiers: z
        .enum(['one', 'all'])
        .optional()
        .describe(
          'Send one set of identifiers per request, strongest first (`one`, the default), or all that are given together.',
        ),
      // '' is the body itself; an empty body as a whole is a no match only where `noMatch` says so.
      record: z
        .array(z.string())
        .optional()
        .describe(
          'Dotted paths to the record, or to the list of records; the first one present decides. Null there, or nothing in it, is a no match.',
        ),
      recordIs: z
        .literal('object')
        .optional()
        .describe(
          '`object`: a list in the place of a record is not understood. Without it, a list of one is a record.',
        ),
      joins: z
        .array(join())
        .optional()
        .describe('Parts of a record that are elsewhere in the answer, such as companies listed beside people.'),
      noMatch: z
        .array(noMatchRule())
        .optional()
        .describe(
          'Replies that mean "no match". They are checked before the status. A rule for a status other than 2xx has to name what the body says.',
        ),
      noMatchOnceMatched: z
        .array(replyCondition())
        .optional()
        .describe(
          'Ambiguous replies, which a wrong address could give too. They mean "no match" only once this endpoint has given this connection a match under this profile; before, they are failures.',
        ),
      errors: z
        .array(errorRule())
        .optional()
        .describe('Rules for replies to its single requests, before those of the profile.'),
      price: z
        .array(pricePart())
        .optional()
        .describe(
          'What the endpoint costs, as the provider states it; the parts add up. Without it, the usual price of the step is estimated.',
        ),
      credits: creditSignal()
        .optional()
        .describe(
          'Where the reply reports the credits charged: one of these. Without it, the charge is estimated by `price`.',
        ),
      unbounded: z
        .array(z.string())
        .optional()
        .describe(
          'Our fields that make the price of a request unknown. Such a request is sent only if the operator allows its path without a price and the run has a limit, all of which is reserved.',
        ),
      page: page().optional().describe('How results are paged.'),
      searchId: z
        .string()
        .optional()
        .describe(
          'Dotted path in the answer of a search to its id, which later requests need; the step returns it as `searchId`.',
        ),
      pending: pending().optional().describe('How an answer says that the result comes later, and how to get it.'),
      repeats: z
        .literal('free')
        .optional()
        .describe(
          '`free`: a record that the account was charged for before costs nothing again. Counts where no answer says what was charged.',
        ),
      freshMs: z
        .int()
        .min(0)
        .optional()
        .describe(
          'How long a result is reused for the same lookup, in ms, for data that changes soon; default: as long as other results.',
        ),
      redirects: z.literal('same-origin').optional().describe('Follow one redirect (307, 308) within the same origin.'),
      probe: probe().optional().describe('A request that `wire check` sends to try the endpoint; it may match or not.'),
      bulk: bulk()
        .optional()
        .describe('How to send many records in one request; without it, each record is a request of its own.'),
    })
    .refine((parts) => isBelievable(parts.method, parts), {
      path: ['effectSource'],
      error:
        'an effect lower than that of the method, such as "read" of a POST, names the page of the provider that says so',
    })
export type EndpointProfile = Infer<typeof endpoint>
