import { defineStep, effectOfMethod, showRule, z } from '#kit'
import type { Integration, Json, Method, Query, Step, StepContext } from '#kit'
import type { Reply } from '../../wire/types.ts'

/**
 * Context of the API Call step. `call` makes one exchange on a path that the caller wrote, and returns a reply of any
 * status unless `throwOnError` is set.
 */
export type RawContext = StepContext & {
  call(request: {
    method: string
    path: string
    query?: Query | undefined
    body?: Json | undefined
    throwOnError: boolean
    strict: boolean
  }): Promise<Reply>
}

/** Decodes JSON text, because some model hosts can only send strings where any JSON value is allowed. */
const decodeBody = (body: unknown): Json | undefined => {
  if (typeof body !== 'string' || !/^\s*[[{]/.test(body)) return body as Json | undefined
  try {
    return JSON.parse(body) as Json
  } catch {
    return body
  }
}

/** Builds the generic API Call step of an integration from its policy. */
export const apiCallStep = (integration: Integration): Step => {
  const { methods, under, allow } = integration.apiCall
  const isListed = integration.operations !== undefined || integration.wire.operations !== undefined
  const withBody = methods.filter((method) => method !== 'GET' && method !== 'DELETE')
  const allowed = allow ? ` Allowed: ${allow.map(showRule).join(', ')}.` : ''
  const prefix = under === '/' ? '/' : `${under}/`
  return defineStep({
    id: 'api-call',
    title: 'API Call',
    group: 'Advanced',
    version: '1.1',
    purpose: `Calls any ${integration.title} endpoint with the connected account, for what no other step does${isListed ? '; Find Endpoints shows what there is' : ''}.`,
    keywords: ['HTTP request', 'custom', 'REST', 'endpoint', 'raw'],
    icon: 'api-call',
    oauthScopes: [...new Set(integration.steps.flatMap(({ oauthScopes = [] }) => oauthScopes))],
    effect: (input) => effectOfMethod[input.method as Method] ?? 'update',
    input: () =>
      z.strictObject({
        // Not z.enum: a method outside the list is refused by the guard as `not_allowed`, with the policy named.
        method: z.string().meta({ title: 'Method', description: 'HTTP method.', enum: [...methods] }),
        path: z.string().meta({
          title: 'Path',
          description: `Path, starting with "${prefix}", without query; ids percent-encoded.${allowed}`,
        }),
        query: z.looseObject({}).optional().meta({
          title: 'Query',
          description: 'Query parameters, as JSON; the credential is added.',
          agentDescription: 'Query parameters: texts, numbers, booleans or lists of them. Credentials are added.',
        }),
        body: z.unknown().optional().meta({
          title: 'Body',
          description: 'The body of the request, as JSON.',
          agentDescription: 'The request body, any JSON value; an object or list may be given as JSON text.',
        }),
        strict: z.boolean().optional().meta({
          title: 'Check the request',
          description:
            'Whether to refuse wrong types, places and misspelt names of parameters before a request to a known endpoint is sent; true by default.',
        }),
        throwOnError: z.boolean().optional().meta({
          title: 'Fail on error status',
          description:
            'Whether the step fails when the answer is 4xx or 5xx; otherwise it returns the answer with its status.',
        }),
      }),
    fields: {
      path: { placeholder: prefix },
      query: { placeholder: '{ "limit": 10 }' },
      body: { placeholder: '{ "name": "Example" }', showWhen: { field: 'method', is: withBody } },
      strict: { rare: true },
      throwOnError: { rare: true },
    },
    output: () => z.looseObject({ status: z.int(), headers: z.record(z.string(), z.string()), body: z.unknown() }),
    async run(ctx, input) {
      const reply = await (ctx as RawContext).call({
        method: input.method,
        path: input.path,
        query: input.query as Query | undefined,
        body: decodeBody(input.body),
        throwOnError: input.throwOnError ?? false,
        strict: input.strict ?? true,
      })
      return { status: reply.status, headers: reply.headers, body: reply.body }
    },
  })
}
