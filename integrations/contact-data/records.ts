import type { RecordAlias } from '#kit'

type Aliases = { [ours: string]: RecordAlias }

/**
 * Paths from which the fields of our records are read. The document shows no response field, so these are spellings
 * that comparable providers use; the first that is present and has the right type is taken. Lists may be in several
 * places.
 */
const emailItem = {
  value: ['email', 'address', 'value', 'emailAddress', ''],
  type: ['type', 'emailType', 'kind'],
  confidence: ['confidence', 'emailConfidence', 'confidenceScore', 'score'],
  status: ['status', 'deliverability', 'verification'],
  source: ['source'],
  updatedAt: ['updateDate', 'updatedAt', 'verifiedAt'],
}
const phoneItem = {
  number: ['number', 'phoneNumber', 'phone', 'value', 'internationalNumber', ''],
  type: ['type', 'phoneType', 'kind'],
  doNotCall: ['doNotCall', 'isDoNotCall', 'dnc', 'onDncList', 'do_not_call'],
  source: ['source'],
  updatedAt: ['updateDate', 'updatedAt'],
}

const emails: RecordAlias = {
  lists: [
    { at: 'emailAddresses', item: emailItem },
    { at: 'emails', item: emailItem },
    { at: 'workEmail', item: emailItem, set: { type: 'work' } },
    { at: 'personalEmail', item: emailItem, set: { type: 'personal' } },
    { at: 'email', item: emailItem },
  ],
}
const phones: RecordAlias = {
  lists: [
    { at: 'phoneNumbers', item: phoneItem },
    { at: 'phones', item: phoneItem },
    { at: 'mobilePhone', item: phoneItem, set: { type: 'mobile' } },
    { at: 'directPhone', item: phoneItem, set: { type: 'direct' } },
    { at: 'phone', item: phoneItem },
  ],
}
const where: Aliases = {
  location: ['location', 'address', 'headquarters', 'hqLocation'],
  city: ['location.city', 'city', 'headquarters.city'],
  region: ['location.state', 'location.region', 'state', 'region', 'headquarters.state'],
  country: ['location.country', 'country', 'headquarters.country'],
  countryCode: ['location.countryCode', 'location.countryIso2', 'location.country_iso2', 'countryCode'],
}
const common: Aliases = {
  emails,
  phones,
  linkedinUrl: [
    'linkedInUrl',
    'linkedinUrl',
    'linkedin',
    'socialLinks.linkedin',
    'social.linkedin',
    'socialProfiles.linkedin',
    'social.linkedin.url',
  ],
  linkedinSlug: ['linkedInSlug', 'linkedinSlug'],
  socialProfiles: {
    lists: [
      { at: 'socialProfiles', item: { network: ['network', 'type', 'name'], url: ['url', 'link'] } },
      { at: 'socialLinks.xUrl', item: { url: [''] }, set: { network: 'x' } },
      { at: 'socialLinks.facebook', item: { url: [''] }, set: { network: 'facebook' } },
      { at: 'social.twitter', item: { url: ['url', ''] }, set: { network: 'x' } },
      { at: 'social.facebook', item: { url: ['url', ''] }, set: { network: 'facebook' } },
    ],
  },
  confidence: ['confidence', 'confidenceScore', 'matchScore', 'likelihood', 'score'],
  suppressed: ['suppressed', 'isSuppressed', 'optedOut'],
  doNotCall: ['doNotCall', 'isDoNotCall'],
  updatedAt: ['updateDate', 'updatedAt', 'lastUpdated'],
}

export const person: Aliases = {
  id: ['personId', 'contactId', 'id'],
  fullName: ['fullName', 'name.full', 'name'],
  firstName: ['firstName', 'name.first'],
  lastName: ['lastName', 'name.last'],
  headline: ['headline'],
  jobTitle: ['jobTitle.title', 'jobTitle', 'title', 'position'],
  seniority: ['jobTitle.seniority', 'seniority', 'seniorityLevel'],
  departments: ['jobTitle.departments', 'departments', 'department'],
  company: ['company.name', 'companyName', 'company', 'currentCompany.name'],
  companyId: ['company.id', 'company.companyId', 'companyId'],
  companyDomain: ['company.domain', 'companyDomain', 'company.fqdn'],
  companyWebsite: ['company.website', 'companyWebsite'],
  companySize: ['company.companySize', 'company.employees', 'company.size', 'companySize'],
  companyIndustry: ['company.mainIndustry', 'company.industry', 'companyIndustry'],
  ...where,
  ...common,
}

export const company: Aliases = {
  id: ['companyId', 'id'],
  name: ['name', 'companyName'],
  legalName: ['legalName'],
  type: ['type', 'companyType'],
  domain: ['domain', 'fqdn', 'companyDomain'],
  website: ['website', 'url', 'homepage'],
  description: ['description', 'about'],
  industry: ['mainIndustry', 'industry', 'industryPrimaryGroup'],
  industries: ['industries', 'subIndustries', 'subIndustry'],
  employeeCount: [
    'employeeCount.exact',
    'employees.exact',
    'companySize.employeesInLinkedin',
    'employeeCount',
    'employees',
    'headcount',
  ],
  employeeRange: ['employees.range', 'employeeRange', 'employees', 'employeeCount', 'companySize', 'size'],
  revenue: ['revenueRange', 'revenue', 'annualRevenue'],
  foundedYear: ['founded', 'foundedYear', 'yearFounded'],
  technologies: ['technologies', 'technologiesUsed', 'techStack'],
  specialities: ['specialities', 'specialties', 'keywords'],
  ...where,
  ...common,
}
