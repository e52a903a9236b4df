import * as z from 'zod'
import { effects, methods } from '../request.ts'
import { effectSource } from './effect-source.ts'
import type { Infer } from './infer.ts'
import { creditSignal, pricePart } from './price.ts'

const parameter = () =>
  z.strictObject({
    name: z.string().min(1).describe('Name.'),
    in: z.enum(['path', 'query', 'body', 'either']).describe('Where it goes; `either`: query or body.'),
    type: z
      .enum(['string', 'number', 'integer', 'boolean', 'object', 'any'])
      .describe('Type of the value, or of the items of a list.'),
    list: z.literal(true).optional().describe('It is a list.'),
    required: z.literal(true).optional().describe('It has to be given.'),
    choices: z.array(z.string()).optional().describe('Allowed values.'),
  })
/** A parameter of an endpoint. */
export type ApiParameter = Infer<typeof parameter>

const operationPart = () =>
  z.strictObject({
    ...pricePart().shape,
    given: z
      .string()
      .min(1)
      .optional()
      .describe('Charged only if the request has this parameter, other than false; a dotted name is one of the body.'),
  })
export type OperationPart = Infer<typeof operationPart>

export const apiOperation = () =>
  z
    .strictObject({
      method: z.enum(methods).describe('Method.'),
      path: z.string().startsWith('/').describe('Path template.'),
      title: z.string().min(1).describe('Title, for people and for `find-endpoints`.'),
      effect: z
        .enum(effects)
        .optional()
        .describe(
          'What it does; default: by method. One lower than that of the method, such as `read` of a POST, is only shown unless `effectSource` is set.',
        ),
      effectSource: effectSource().optional(),
      price: z
        .union([z.string().min(1), z.array(operationPart())])
        .optional()
        .describe(
          '`free`, or its parts, as those of an endpoint; other words are only shown. Without parts it is the price of the endpoint with this path, if there is one.',
        ),
      credits: creditSignal().optional().describe('Where the reply reports the credits charged, as in `endpoints`.'),
      records: z
        .strictObject({
          in: z.array(z.string()).min(1).describe('As many as these lists of its query or body hold together.'),
          most: z.int().positive().describe('As many where it holds none of them.'),
        })
        .optional()
        .describe('How many records a request asks for; default 1.'),
      unpriced: z
        .array(z.string().min(1))
        .optional()
        .describe('Parameters, named as in `given`, with which the price is not known.'),
      body: z.literal('list').optional().describe('The body is a list whose items hold the parameters.'),
      parameters: z.array(parameter()).describe('Its parameters.'),
    })
    .superRefine(({ method, body, parameters }, issues) => {
      if (method !== 'GET') return
      const why = 'a GET request has no body'
      if (body) issues.addIssue({ code: 'custom', path: ['body'], message: why })
      const at = parameters.findIndex((parameter) => parameter.in === 'body')
      if (at >= 0) issues.addIssue({ code: 'custom', path: ['parameters', at, 'in'], message: why })
    })
/** An endpoint that the provider documents, as API Call shows, finds, checks and pays for it. */
export type ApiOperation = Infer<typeof apiOperation>
