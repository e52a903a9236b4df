import type { RecordAlias } from '#kit'

type Aliases = { [ours: string]: RecordAlias }

/**
 * Paths from which the fields of our records are read. The document shows no response field, so these are spellings
 * that comparable providers use; the first that is present and has the right type is taken. Lists may be in several
 * places.
 */
const emailItem = {
  value: ['value', 'address', 'email', 'email_address', ''],
  type: ['type', 'kind', 'email_type', 'emailType', 'label'],
  confidence: ['confidence', 'confidence_score', 'score', 'emailConfidence'],
  status: ['deliverability', 'status', 'verification_status', 'verification'],
  source: ['source'],
  updatedAt: ['updated_at', 'updatedAt', 'last_verified', 'verified_at'],
}
const phoneItem = {
  number: ['value', 'number', 'phone', 'phone_number', 'phoneNumber', ''],
  type: ['type', 'kind', 'phone_type', 'phoneType', 'label'],
  doNotCall: ['is_dnd', 'do_not_call', 'doNotCall', 'dnc', 'is_dnc', 'on_dncr'],
  source: ['source'],
  updatedAt: ['updated_at', 'updatedAt'],
}

const emails: RecordAlias = {
  lists: [
    { at: 'emails.work', item: emailItem, set: { type: 'work' } },
    { at: 'emails.personal', item: emailItem, set: { type: 'personal' } },
    { at: 'emails', item: emailItem },
    { at: 'work_email', item: emailItem, set: { type: 'work' } },
    { at: 'personal_email', item: emailItem, set: { type: 'personal' } },
    { at: 'email_addresses', item: emailItem },
    { at: 'email', item: emailItem },
  ],
}
const phones: RecordAlias = {
  lists: [
    { at: 'phones', item: phoneItem },
    { at: 'phone_numbers', item: phoneItem },
    { at: 'mobile_phones', item: phoneItem, set: { type: 'mobile' } },
    { at: 'mobile', item: phoneItem, set: { type: 'mobile' } },
    { at: 'main_phones', item: phoneItem, set: { type: 'main' } },
    { at: 'phone', item: phoneItem },
  ],
}
const where: Aliases = {
  location: ['location', 'hq_location', 'locations', 'address'],
  city: ['location.city', 'city', 'hq_city'],
  region: ['location.state', 'location.region', 'state', 'region', 'hq_state'],
  country: ['location.country', 'country', 'hq_country'],
  countryCode: ['location.country_code', 'country_code'],
}
const common: Aliases = {
  phones,
  emails,
  linkedinUrl: ['linkedin_url', 'linkedinUrl', 'linkedin', 'linkedin_profile', 'social_media.linkedin'],
  linkedinSlug: ['linkedin_slug', 'ln_slug'],
  socialProfiles: {
    lists: [{ at: 'social_profiles', item: { network: ['network', 'type', 'name'], url: ['url', 'link'] } }],
  },
  confidence: ['confidence', 'confidence_score', 'match_score', 'score'],
  suppressed: ['suppressed', 'is_suppressed', 'opted_out'],
  doNotCall: ['do_not_call', 'is_dnd', 'doNotCall'],
  updatedAt: ['updated_at', 'updatedAt', 'last_updated', 'refreshed_at'],
}

export const person: Aliases = {
  id: ['person_id', 'id'],
  fullName: ['full_name', 'fullName', 'name'],
  firstName: ['first_name', 'firstName'],
  lastName: ['last_name', 'lastName'],
  headline: ['headline'],
  jobTitle: ['position', 'job_title', 'jobTitle', 'title'],
  seniority: ['seniority', 'seniority_level'],
  departments: ['departments', 'department'],
  company: ['company.name', 'current_company.name', 'company_name', 'companyName', 'company', 'employer'],
  companyId: ['company.id', 'current_company.id', 'company_id'],
  companyDomain: ['company.domain', 'current_company.domain', 'company.fqdn', 'company_domain'],
  companyWebsite: ['company.website', 'current_company.website', 'company_website'],
  companyAbn: ['company.abn', 'current_company.abn', 'company_abn'],
  companySize: ['company.size', 'current_company.size', 'company_size', 'company.company_size'],
  companyIndustry: ['company.industry', 'current_company.industry', 'company_industry'],
  hasEmail: ['has_email'],
  hasPhone: ['has_phone', 'has_mobile'],
  hasDoNotCall: ['has_do_not_call', 'has_dnd_phone'],
  ...where,
  ...common,
}

export const company: Aliases = {
  id: ['company_id', 'id'],
  name: ['name', 'company_name', 'trading_name'],
  legalName: ['legal_name', 'registered_name', 'entity_name'],
  abn: ['abn', 'industry_codes.abn', 'registration.abn'],
  acn: ['acn', 'industry_codes.acn', 'registration.acn'],
  nzbn: ['nzbn', 'industry_codes.nzbn', 'registration.nzbn'],
  status: ['abn_operation_status', 'abn_status'],
  type: ['company_type', 'type', 'entity_type'],
  domain: ['domain', 'fqdn', 'primary_domain'],
  website: ['website', 'website_url', 'url'],
  description: ['description', 'about'],
  industry: ['industry', 'main_industry', 'primary_industry'],
  industries: ['industries'],
  employeeCount: ['employee_count', 'employees', 'employeeCount', 'au_employee_count', 'headcount'],
  employeeRange: ['company_size', 'size', 'employee_range', 'employees'],
  revenue: ['revenue', 'revenue_range', 'annual_revenue'],
  foundedYear: ['year_founded', 'founded_year', 'founded'],
  technologies: ['technologies', 'technologies_used', 'tech_stack', 'nextGen.technographics'],
  specialities: ['keywords', 'specialities', 'specialties'],
  ...where,
  ...common,
}
