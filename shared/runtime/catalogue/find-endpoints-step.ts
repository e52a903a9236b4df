import { defineStep, fail, z } from '#kit'
import type { ApiOperation, Integration, Step, Vocabulary } from '#kit'
import type { CallPolicy } from '../../wire/types.ts'
import { createVerdict } from './operations.ts'
import type { ShownPrice } from './operations.ts'
import type { OperationSearch } from './search-operations.ts'

/**
 * What the Find Endpoints step answers from: the endpoints of the profile in force, their prices, and what the policy
 * lets API Call do with the connection.
 */
export type EndpointContext = {
  integration: Integration
  operations: ApiOperation[]
  policy: CallPolicy
  priceOf(operation: ApiOperation): ShownPrice
}
/** A step that is answered locally: it sends nothing and needs no connection. */
export type LocalStep = Step & { answer(context: EndpointContext, input: Record<string, unknown>): Promise<unknown> }

export const isLocal = (step: Step): step is LocalStep => 'answer' in step

const searches = new WeakMap<ApiOperation[], OperationSearch>()

const searchOf = async (operations: ApiOperation[], vocabulary: Vocabulary | undefined) => {
  // Loaded on demand: few processes ever search.
  const search =
    searches.get(operations) ?? (await import('./search-operations.ts')).createSearch(operations, vocabulary)
  searches.set(operations, search)
  return search
}

type EndpointQuery = { query: string; method?: string | undefined; limit?: number | undefined }

const answer = async (
  { integration, operations, policy, priceOf }: EndpointContext,
  { query, method, limit = 5 }: EndpointQuery,
) => {
  const verdict = createVerdict(policy)
  const wantedMethod = method?.toUpperCase()
  const foundOperations = (await searchOf(operations, integration.vocabulary)).find(
    query,
    (operation) => wantedMethod === undefined || operation.method === wantedMethod,
    limit,
  )
  return {
    endpoints: foundOperations.map((operation) => {
      const reason = verdict.refusal(operation)
      return {
        ...verdict.show(operation, priceOf(operation)),
        allowed: reason === undefined,
        ...(reason === undefined ? {} : { reason }),
      }
    }),
    known: operations.length,
  }
}

const parameter = () =>
  z.looseObject({
    name: z.string(),
    in: z.string().describe('path, query, body, or either (query or body).'),
    type: z.string(),
    list: z.boolean().optional(),
    required: z.boolean().optional(),
    choices: z.array(z.string()).optional(),
  })

/** The step that searches the endpoints that API Call knows. */
export const findEndpointsStep = (integration: Integration): Step => {
  const step = defineStep({
    id: 'find-endpoints',
    title: 'Find Endpoints',
    group: 'Advanced',
    purpose: `Finds the ${integration.title} endpoints for what you want to do, with parameters and price, to call with API Call; free.`,
    keywords: ['API reference', 'documentation', 'search', 'methods'],
    icon: 'endpoints',
    effect: 'read',
    input: () =>
      z.strictObject({
        query: z
          .string()
          .min(1)
          .max(500)
          .meta({ title: 'Query', description: 'What the endpoint has to do, in plain words.' }),
        method: z
          .string()
          .max(10)
          .optional()
          .meta({
            title: 'Method',
            description: 'Only endpoints with this HTTP method.',
            enum: [...integration.apiCall.methods],
          }),
        limit: z
          .int()
          .min(1)
          .max(25)
          .optional()
          .meta({ title: 'Limit', description: 'Maximum number of endpoints; 5 by default.' }),
      }),
    fields: { query: { placeholder: 'add a person' }, limit: { placeholder: '5', rare: true } },
    output: () =>
      z.looseObject({
        endpoints: z
          .array(
            z.looseObject({
              method: z.string(),
              path: z.string().describe('Template: put values in the place of the names in braces.'),
              title: z.string(),
              effect: z.string(),
              price: z.string().optional(),
              cost: z.looseObject({}).nullable().optional().describe('The price as data; null: free.'),
              body: z.string().optional(),
              parameters: z.array(parameter()),
              allowed: z.boolean().describe('false: API Call refuses it, for the reason beside.'),
              reason: z.string().optional(),
            }),
          )
          .describe('The best first.'),
        known: z.int().describe('How many endpoints are known. Others can be called too.'),
      }),
    run: () => Promise.reject(fail('internal', 'Find Endpoints is answered without a provider.')),
  })
  const local: LocalStep = Object.assign(step, {
    answer: (context: EndpointContext, input: Record<string, unknown>) => answer(context, input as EndpointQuery),
  })
  return local
}
