import type { ApiOperation, OperationPart } from '#kit'
import { inBody, inQuery } from './parameters.ts'

const personParameters = 'first_name last_name name email hashed_email organization_name domain id linkedin_url'
const personPrice: OperationPart[] = [
  { per: 'match', credits: 1 },
  { per: 'match', credits: 8, given: 'reveal_phone_number' },
]
/** These parameters make Apollo query other providers, each at its own price. */
const waterfalls = ['run_waterfall_email', 'run_waterfall_phone']

/** A page of the provider's reference. */
const page = (name: string) => `https://docs.apollo.io/reference/${name}`

/** Apollo's documented operations, as API Call lists them. */
export const apolloOperations = (): ApiOperation[] => [
  {
    method: 'POST',
    path: '/api/v1/people/match',
    title: 'Find one person',
    effect: 'read',
    effectSource: page('people-enrichment'),
    price: personPrice,
    unpriced: waterfalls,
    parameters: [
      ...inQuery(`${personParameters} webhook_url`),
      ...inQuery('run_waterfall_email run_waterfall_phone reveal_personal_emails reveal_phone_number', {
        type: 'boolean',
      }),
    ],
  },
  {
    method: 'POST',
    path: '/api/v1/people/bulk_match',
    title: 'Find up to ten persons',
    effect: 'read',
    effectSource: page('bulk-people-enrichment'),
    price: personPrice,
    credits: { path: 'credits_consumed' },
    unpriced: waterfalls,
    parameters: [
      ...inBody('details', { type: 'object', list: true, required: true }),
      ...inQuery('webhook_url'),
      ...inQuery('run_waterfall_email run_waterfall_phone reveal_personal_emails reveal_phone_number', {
        type: 'boolean',
      }),
    ],
  },
  {
    method: 'GET',
    path: '/api/v1/organizations/enrich',
    title: 'Find one company',
    parameters: inQuery('domain linkedin_url name website'),
  },
  {
    method: 'POST',
    path: '/api/v1/organizations/bulk_enrich',
    title: 'Find up to ten companies',
    effect: 'read',
    effectSource: page('bulk-organization-enrichment'),
    price: [{ per: 'match', credits: 1 }],
    records: { in: ['domains[]', 'details'], most: 10 },
    parameters: [
      ...inQuery('domains[]', { type: 'string', list: true }),
      ...inBody('details', { type: 'object', list: true }),
    ],
  },
  {
    method: 'POST',
    path: '/api/v1/mixed_people/api_search',
    title: 'Search people by filters',
    effect: 'read',
    effectSource: page('people-api-search'),
    parameters: [
      ...inQuery(
        'person_titles[] person_locations[] person_seniorities[] organization_locations[] q_organization_domains_list[] contact_email_status[] organization_ids[] organization_num_employees_ranges[] currently_using_all_of_technology_uids[] currently_using_any_of_technology_uids[] currently_not_using_any_of_technology_uids[] q_organization_job_titles[] organization_job_locations[]',
        { type: 'string', list: true },
      ),
      ...inQuery('q_keywords'),
      ...inQuery('include_similar_titles', { type: 'boolean' }),
      ...inQuery(
        'revenue_range[min] revenue_range[max] organization_num_jobs_range[min] organization_num_jobs_range[max] page per_page',
        { type: 'integer' },
      ),
      ...inQuery('organization_job_posted_at_range[min] organization_job_posted_at_range[max]'),
    ],
  },
  {
    method: 'POST',
    path: '/api/v1/mixed_companies/search',
    title: 'Search companies by filters',
    effect: 'read',
    effectSource: page('organization-search'),
    parameters: [
      ...inQuery(
        'q_organization_domains_list[] organization_num_employees_ranges[] organization_locations[] organization_not_locations[] currently_using_any_of_technology_uids[] q_organization_keyword_tags[] organization_ids[] q_organization_job_titles[] organization_job_locations[]',
        { type: 'string', list: true },
      ),
      ...inQuery('q_organization_name'),
      ...inQuery(
        'revenue_range[min] revenue_range[max] latest_funding_amount_range[min] latest_funding_amount_range[max] total_funding_range[min] total_funding_range[max] organization_num_jobs_range[min] organization_num_jobs_range[max] page per_page',
        { type: 'integer' },
      ),
      ...inQuery(
        'latest_funding_date_range[min] latest_funding_date_range[max] organization_job_posted_at_range[min] organization_job_posted_at_range[max]',
      ),
    ],
  },
  {
    method: 'POST',
    path: '/api/v1/usage_stats/credit_usage_stats',
    title: 'Credits of the account',
    effect: 'read',
    effectSource: page('view-credit-usage-stats'),
    parameters: [],
  },
  {
    method: 'POST',
    path: '/api/v1/usage_stats/api_usage_stats',
    title: 'Rate limits of the account',
    effect: 'read',
    effectSource: page('view-api-usage-stats'),
    price: 'free',
    parameters: [],
  },
  {
    method: 'GET',
    path: '/api/v1/users/api_profile',
    title: 'Owner of the key',
    price: 'free',
    parameters: inQuery('include_credit_usage', { type: 'boolean' }),
  },
]
