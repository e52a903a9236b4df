import { z } from '#kit'
import { byId, id } from '../resources/fields.ts'
import { integration } from '../resources/integration.ts'
import { catalogueEntries } from '../resources/catalogue-entry.ts'
import { foundSteps } from '../resources/step.ts'
import { manifestShape } from '../manifest.ts'
import { defineOperations } from '../operation.ts'

export const catalogueOperations = defineOperations({
  listIntegrations: {
    method: 'GET',
    path: '/v1/integrations',
    tag: 'Catalogue',
    summary: 'List the installed integrations',
    description:
      'One summary per installed integration: title, version, maturity, and whether the operator has to add settings first.',
    output: { description: 'Summaries', schema: () => z.object({ items: z.array(integration()) }) },
    failures: [],
  },
  getIntegration: {
    method: 'GET',
    path: '/v1/integrations/{id}',
    tag: 'Catalogue',
    summary: 'Get the manifest of an integration',
    description:
      'The whole manifest of an integration: connection types, steps and triggers with their schemas, API call policy, and what is assumed or unset about the provider. Texts are in the language that `locale` or `Accept-Language` asks for where there are translations; `Content-Language` names it.',
    input: {
      params: byId,
      query: () =>
        z.strictObject({
          profile: z
            .string()
            .min(1)
            .max(64)
            .optional()
            .describe('Wire profile to show it with, such as that of a connection'),
          locale: z
            .string()
            .min(1)
            .max(64)
            .optional()
            .describe(
              'Language of its texts, such as "de"; takes precedence over Accept-Language. Texts without a translation are English',
            ),
        }),
    },
    output: { description: 'The manifest', schema: manifestShape },
    failures: ['not_found'],
  },
  findSteps: {
    method: 'GET',
    path: '/v1/steps',
    tag: 'Catalogue',
    summary: 'Find steps by what they do, in plain words',
    description:
      'Searches the steps of all integrations, or of one, as the MCP tool `find_tools` does, the best first: synonyms and misspelt words match too. Without a query it returns all steps, each with its schemas.',
    input: {
      query: () =>
        z.strictObject({
          query: z.string().max(256).optional().describe('What the step has to do, in plain words'),
          integration: id.optional(),
        }),
    },
    output: { description: 'Steps with their schemas', schema: foundSteps },
    failures: ['not_found'],
  },
  searchCatalogue: {
    method: 'GET',
    path: '/v1/catalogue',
    tag: 'Catalogue',
    summary: 'Find steps and triggers in plain words, by id and title',
    description:
      'Ranks steps and triggers together as `GET /v1/steps` ranks steps, the best first, and returns at most 50, without their schemas: for a search box.',
    input: {
      query: () =>
        z.strictObject({
          query: z.string().min(1).max(256).describe('What is looked for, in plain words'),
          kind: z.enum(['step', 'trigger']).optional().describe('Default: both'),
        }),
    },
    output: { description: 'Steps and triggers, the best first', schema: catalogueEntries },
    failures: [],
  },
})
