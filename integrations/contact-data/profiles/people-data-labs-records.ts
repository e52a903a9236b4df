import type { RecordAlias } from '#kit'

type Aliases = { [ours: string]: RecordAlias }

const email = { value: ['address', ''], type: ['type'] }
const phone = { number: ['number', ''], updatedAt: ['last_seen'] }

/** A person as a search returns it. */
const person: Aliases = {
  id: ['id'],
  fullName: ['full_name'],
  firstName: ['first_name'],
  lastName: ['last_name'],
  headline: ['headline'],
  jobTitle: ['job_title'],
  seniority: ['job_title_levels.0'],
  departments: ['job_title_role'],
  company: ['job_company_name'],
  companyId: ['job_company_id'],
  companyDomain: ['job_company_website'],
  companyWebsite: ['job_company_website'],
  companySize: ['job_company_size'],
  companyIndustry: ['job_company_industry'],
  location: ['location_name'],
  city: ['location_locality'],
  region: ['location_region'],
  country: ['location_country'],
  emails: {
    lists: [
      { at: 'work_email', item: { value: [''] }, set: { type: 'work' } },
      { at: 'emails', item: email },
      { at: 'personal_emails', item: email, set: { type: 'personal' } },
      { at: 'recommended_personal_email', item: { value: [''] }, set: { type: 'personal' } },
    ],
  },
  phones: {
    lists: [
      { at: 'mobile_phone', item: { number: [''] }, set: { type: 'mobile' } },
      { at: 'phone_numbers', item: phone },
      { at: 'phones', item: phone },
    ],
  },
  linkedinUrl: ['linkedin_url'],
  socialProfiles: { lists: [{ at: 'profiles', item: { network: ['network'], url: ['url'] } }] },
  updatedAt: ['job_last_verified', 'job_last_changed', 'job_last_updated'],
}

const company: Aliases = {
  id: ['id'],
  name: ['display_name', 'name'],
  type: ['type'],
  domain: ['website'],
  website: ['website'],
  description: ['summary'],
  industry: ['industry'],
  employeeCount: ['employee_count'],
  employeeRange: ['size'],
  revenue: ['inferred_revenue'],
  foundedYear: ['founded'],
  specialities: ['tags'],
  location: ['location.name'],
  city: ['location.locality'],
  region: ['location.region'],
  country: ['location.country'],
  linkedinUrl: ['linkedin_url'],
  linkedinSlug: ['linkedin_slug'],
  socialProfiles: {
    lists: [
      { at: 'twitter_url', item: { url: [''] }, set: { network: 'x' } },
      { at: 'facebook_url', item: { url: [''] }, set: { network: 'facebook' } },
    ],
  },
  confidence: ['likelihood'],
}

const under = (at: string, alias: RecordAlias): RecordAlias =>
  Array.isArray(alias)
    ? alias.map((path) => `${at}.${path}`)
    : { lists: alias.lists.map((list) => ({ ...list, at: `${at}.${list.at}` })) }

/** One enriched person: the record is next to its score, which would be lost if only the record were read. */
const scored: Aliases = {
  ...Object.fromEntries(Object.entries(person).map(([ours, alias]) => [ours, under('data', alias)])),
  confidence: ['likelihood'],
}

export const peopleDataLabsRecords = { person, company, 'scored-person': scored }
