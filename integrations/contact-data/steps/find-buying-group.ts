import {
  defineStep,
  keySets,
  pageCursor,
  pageLimit,
  personRecord,
  searchAgentFields,
  searchOutput,
  searchPage,
  z,
} from '#kit'
import { companyId, companySpecs, domain } from '../inputs.ts'

export default defineStep({
  id: 'find-buying-group',
  title: 'Find Buying Group',
  group: 'Contacts',
  purpose:
    'Finds the people of one company who decide on a purchase, argue for it or use what is bought, each with a role and a score; each person found is charged.',
  keywords: ['decision makers', 'champions', 'stakeholders', 'buying committee', 'who decides'],
  icon: 'person-search',
  effect: 'read',
  cost: { unit: 'credit', per: 'record', typical: [0, 1] },
  input: () =>
    keySets(
      z.strictObject({
        domain: domain().optional(),
        companyId: companyId().optional(),
        roles: z
          .array(z.enum(['decision-maker', 'champion', 'user']))
          .min(1)
          .max(3)
          .optional()
          .meta({ title: 'Roles', description: 'Roles to find; all by default.' }),
        most: z
          .int()
          .min(1)
          .max(1000)
          .optional()
          .meta({ title: 'People at most', description: 'How large the group may be over all pages; 60 by default.' }),
        limit: pageLimit(),
        cursor: pageCursor(),
      }),
      [['domain'], ['companyId']],
      { exactlyOne: true },
    ),
  output: () =>
    searchOutput(
      personRecord().extend({
        roles: z.array(z.string()).optional().meta({ description: 'Roles of the person, as the provider names them.' }),
        score: z.number().optional().meta({ description: 'How well the roles fit, 0 to 1.' }),
      }),
    ),
  agentFields: [...searchAgentFields('person'), 'results.record.roles', 'results.record.score'],
  fields: {
    domain: companySpecs.domain,
    roles: { labels: { 'decision-maker': 'Decision maker', champion: 'Champion', user: 'User' } },
    most: { placeholder: '60', unit: 'people' },
    limit: { placeholder: '25' },
  },
  endpoints: ['buying-group'],
  run: (ctx, query) => searchPage(ctx, 'buying-group', query),
})
