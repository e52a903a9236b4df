import { z } from '#kit'
import { askedProvider, companyAnswer, lookupTools, personAnswer } from '../../../pack.ts'
import { signalClientAbort } from '../client-abort.ts'
import { sendFailure } from '../parts.ts'
import type { Routes } from '../parts.ts'
import { providerFailures, responses } from '../responses.ts'
import { runBody, runHeaders, runMeta } from '../schemas.ts'

const kind = z.enum(['person', 'company'])
const { maxAge, refresh } = runBody.shape
const name = z.string().min(1).max(64)
const body = z.strictObject({
  identifiers: z
    .record(name, z.string().min(1).max(2_000))
    .describe('What is known of the person or company, by name. GET /v1/lookups lists the names; each provider gets those that it takes'),
  want: z
    .array(name)
    .min(1)
    .max(50)
    .describe(
      'Fields to fill. The next provider is asked only while one of them is empty; mobilePhone, directPhone, workEmail and personalEmail are kinds of number and address',
    ),
  providers: z
    .array(askedProvider())
    .min(1)
    .max(20)
    .optional()
    .describe('In the order to ask them; absent: the default connection of every data provider and profile, the cheapest quote first'),
  maxCredits: z
    .number()
    .min(0)
    .max(1_000_000_000)
    .optional()
    .describe('The most that all providers together may cost; one whose quote is above what is left is not asked'),
  maxAge,
  refresh,
  dryRun: z.boolean().default(false).describe('true: returns the price of the whole chain and the requests to the first provider, and sends nothing'),
})
const price = z.looseObject({ unit: z.literal('credit'), total: z.array(z.number()).min(2).max(2).optional().describe('Minimum and maximum') })
const plan = z.object({
  requests: z.array(z.unknown()).describe('To the provider that is asked first; secrets masked'),
  price: price.describe('From the minimum of the first provider to the maxima of all of them together'),
  complete: z.boolean(),
  providers: z.array(z.looseObject({ provider: z.string(), connection: z.string().nullable(), price: price.optional(), reason: z.string().optional() })),
})
const done = <T extends z.ZodType>(output: T) => z.object({ output, meta: runMeta })
const tool = z.object({
  id: z.string(),
  kind,
  name: z.string().describe('Name of the tool'),
  title: z.string(),
  group: z.string(),
  purpose: z.string(),
  integrations: z.array(z.string()).describe('Integrations that have a step for it'),
  input: z.looseObject({}).describe('JSON Schema of its flat arguments as a tool: identifiers, and the other fields of the body'),
  output: z.looseObject({}),
  example: z.looseObject({}),
})

/** One person or company, looked for at several providers. */
export const lookupRoutes: Routes = (app, { pack }) => {
  const tags = ['Lookups']
  const tools = lookupTools(pack.registry)
  app.get(
    '/v1/lookups',
    {
      config: { access: ['read', 'run'] },
      schema: {
        operationId: 'listLookups',
        tags,
        summary: 'List the tools that ask several providers',
        description: 'Tools of the pack itself, which no integration contains: what they take, what they give, and which integrations they ask.',
        response: responses({ description: 'The tools', schema: z.object({ items: z.array(tool) }) }),
      },
    },
    async () => ({
      items: tools.map(({ id, kind: one, name: named, title, group, purpose, integrations, input, output, example }) => ({
        id,
        kind: one,
        name: named,
        title,
        group,
        purpose,
        integrations,
        input,
        output,
        example,
      })),
    }),
  )
  app.post(
    '/v1/lookups/:kind',
    {
      config: { access: ['run'] },
      schema: {
        operationId: 'lookUp',
        tags,
        summary: 'Look up a person or company at several providers',
        description:
          'Asks one data provider after the other until the wanted fields are filled, and returns one record with the source of each value. Each provider is asked by an ordinary run, whose `parentId` is the `runId` here. A provider that fails is reported, and the next one is asked; an opt-out ends the lookup. `Idempotency-Key` covers the whole lookup.',
        params: z.object({ kind }),
        headers: runHeaders.omit({ prefer: true }),
        body,
        response: responses(
          { description: 'What was found; with dryRun, the price', schema: z.union([done(personAnswer()), done(companyAnswer()), done(plan)]) },
          providerFailures,
          { body: true },
        ),
      },
    },
    async (request, reply) => {
      const outcome = await pack.lookups.run(request.caller, {
        ...request.params,
        ...request.body,
        idempotencyKey: request.headers['idempotency-key'],
        startId: request.headers['start-id'],
        signal: signalClientAbort(reply),
      })
      if (!request.body.dryRun) request.runId = outcome.meta.runId
      if (!outcome.ok) return sendFailure(request, reply, outcome.failure, { runId: request.runId })
      return reply.send({ output: outcome.value, meta: outcome.meta } as never)
    },
  )
}
