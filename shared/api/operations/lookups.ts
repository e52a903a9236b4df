import { z } from '#kit'
import { lookupBody, lookupDone, lookupKind, lookupTool } from '../resources/lookup.ts'
import { runHeaders } from '../resources/run.ts'
import { defineOperations, providerFailures } from '../operation.ts'

export const lookupOperations = defineOperations({
  listLookups: {
    method: 'GET',
    path: '/v1/lookups',
    tag: 'Lookups',
    summary: 'List the tools that ask several providers',
    description:
      'Tools of the pack itself, which no integration contains: what they take, what they give, and which integrations they ask.',
    output: { description: 'The tools', schema: () => z.object({ items: z.array(lookupTool()) }) },
    failures: [],
  },
  lookUp: {
    method: 'POST',
    path: '/v1/lookups/{kind}',
    tag: 'Lookups',
    summary: 'Look up a person or company at several providers',
    description:
      'Asks one data provider after the other until the wanted fields are filled, and returns one record with the source of each value. Each provider is asked by an ordinary run, whose `parentId` is the `runId` here. A provider that fails is reported, and the next one is asked; an opt-out ends the lookup. `Idempotency-Key` covers the whole lookup.',
    input: {
      params: () => z.object({ kind: lookupKind }),
      headers: () => runHeaders().omit({ prefer: true }),
      body: lookupBody,
    },
    output: { description: 'What was found; with dryRun, the price', schema: lookupDone },
    failures: providerFailures,
  },
})
