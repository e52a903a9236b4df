import type { RecordAlias } from '#kit'
import { companySignalTypes, contactSignalTypes } from '../signal-types.ts'

type Aliases = { [ours: string]: RecordAlias }

/** Spellings vary within the provider's description and between its versions; all of them are read. */
const emailItem = {
  value: ['email', 'address', ''],
  type: ['type', 'emailType'],
  confidence: ['confidence', 'emailConfidence'],
  updatedAt: ['updateDate'],
}
const phoneItem = {
  number: ['number', ''],
  type: ['type', 'phoneType'],
  doNotCall: ['doNotCall'],
  updatedAt: ['updateDate'],
}
const emails: RecordAlias = {
  lists: [
    { at: 'emailAddresses', item: emailItem },
    { at: 'emails', item: emailItem },
  ],
}
const phones: RecordAlias = {
  lists: [
    { at: 'phoneNumbers', item: phoneItem },
    { at: 'phones', item: phoneItem },
  ],
}
const where: Aliases = {
  location: ['location', 'rawLocation', 'address'],
  city: ['location.city', 'city'],
  region: ['location.state', 'state'],
  country: ['location.country', 'country'],
  countryCode: ['location.countryIso2', 'location.country_iso2', 'countryIso2'],
}

const person: Aliases = {
  id: ['personId', 'contactId', 'id'],
  fullName: ['fullName', 'name'],
  firstName: ['firstName'],
  lastName: ['lastName'],
  jobTitle: ['jobTitle.title', 'jobTitle'],
  seniority: ['jobTitle.seniority', 'seniority'],
  departments: ['jobTitle.departments', 'departments'],
  company: ['company.name', 'companyName'],
  companyId: ['company.id', 'company.lushaCompanyId', 'companyId'],
  companyDomain: ['company.domain', 'company.fqdn', 'company.domains.homepage', 'fqdn'],
  companyWebsite: ['company.domains.homepage', 'company.website'],
  companySize: ['company.companySize', 'company.employees'],
  companyIndustry: ['company.mainIndustry', 'company.industry'],
  ...where,
  emails,
  phones,
  linkedinUrl: ['socialLinks.linkedin'],
  socialProfiles: { lists: [{ at: 'socialLinks.xUrl', item: { url: [''] }, set: { network: 'x' } }] },
  hasEmail: ['hasEmails', 'hasWorkEmail'],
  hasPhone: ['hasPhones', 'hasMobilePhone'],
  updatedAt: ['updateDate'],
}

const company: Aliases = {
  id: ['lushaCompanyId', 'companyId', 'id'],
  name: ['name'],
  type: ['companyType'],
  domain: ['domain', 'fqdn'],
  website: ['website', 'domains.homepage'],
  description: ['description'],
  industry: ['mainIndustry', 'industry'],
  industries: ['industryTags', 'subIndustry'],
  employeeCount: ['employeeCount.exact', 'companySize.employeesInLinkedin', 'employeesInLinkedin'],
  employeeRange: ['employees', 'employeeCount', 'companySize'],
  revenue: ['revenueRange'],
  foundedYear: ['yearFounded', 'founded'],
  technologies: ['technologies'],
  specialities: ['specialities', 'keywords'],
  ...where,
  emails: {
    lists: [
      { at: 'emails', item: emailItem },
      { at: 'email', item: emailItem },
    ],
  },
  phones: {
    lists: [
      { at: 'phones', item: phoneItem },
      { at: 'phone', item: phoneItem },
    ],
  },
  linkedinUrl: ['socialLinks.linkedin', 'social.linkedin.url', 'social.linkedin', 'linkedin'],
  socialProfiles: {
    lists: [
      { at: 'socialLinks.x', item: { url: [''] }, set: { network: 'x' } },
      { at: 'socialLinks.facebook', item: { url: [''] }, set: { network: 'facebook' } },
    ],
  },
}

const usage: Aliases = {
  creditsTotal: ['credits.total', 'usage.bulkCredits.total', 'usage.credits.total'],
  creditsUsed: ['credits.used', 'usage.bulkCredits.used', 'usage.credits.used'],
  creditsRemaining: ['credits.remaining', 'usage.bulkCredits.remaining', 'usage.credits.remaining'],
  plan: ['plan.category'],
  renewsAt: ['plan.endDate'],
  limits: ['rateLimits'],
  prices: ['pricing'],
}

const score: Aliases = {
  signalScore: ['signalScore'],
  signalTypes: ['signalTypes'],
}
/** What version 3 shows of records beyond a lookup, by the kind of request. */
const groupMember: Aliases = { ...person, roles: ['roles'], score: ['score'] }
const scoredPerson: Aliases = { ...person, ...score }
const scoredCompany: Aliases = { ...company, ...score }
const asNamed = (types: object): Aliases => Object.fromEntries(Object.keys(types).map((type) => [type, [type]]))
const contactSignals: Aliases = { id: ['id'], ...asNamed(contactSignalTypes) }
const companySignals: Aliases = {
  id: ['id'],
  name: ['companyName'],
  domain: ['domain'],
  ...asNamed(companySignalTypes),
}
const visitor: Aliases = {
  ...company,
  visitScore: ['score'],
  visitBand: ['scoreBand'],
  sessions: ['totalSessions'],
  visitors: ['uniqueVisitors'],
  daysVisited: ['daysVisited'],
  minutesPerSession: ['avgSessionMinutes'],
  highIntentViews: ['highIntentPageviews'],
  lastVisit: ['lastVisit'],
  visitorCountry: ['visitorCountry'],
}
const companyDetails: Aliases = {
  ...company,
  employeesByDepartment: ['employeesByDepartment'],
  employeesByLocation: ['employeesByLocation'],
  employeesBySeniority: ['employeesBySeniority'],
  competitors: ['competitors'],
  intent: ['intent'],
  itSpend: ['estimatedAnnualItSpend'],
  websiteTraffic: ['monthlyWebsiteTraffic'],
}
export const lushaRecords = {
  person,
  company,
  usage,
  groupMember,
  scoredPerson,
  scoredCompany,
  contactSignals,
  companySignals,
  visitor,
  companyDetails,
}
