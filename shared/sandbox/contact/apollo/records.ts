/** Records and search rows in the form of the examples in Apollo's documents. */
import type { Company, Person } from '../../people/data-set.ts'

const numbered = (id: string) => id.replace(/\D/g, '').padStart(20, '0')
export const personId = ({ id }: Person): string => `64a7${numbered(id)}`
export const organizationId = ({ id }: Company): string => `5e66${numbered(id)}`

const departments: Record<string, string> = {
  engineering: 'master_engineering_technical',
  product: 'product_management',
  customer_service: 'master_support',
}
/** The lower end of each revenue band, in US dollars. */
const revenues: Record<string, number> = {
  '500M-1B': 500_000_000,
  '50M-500M': 50_000_000,
  '10M-50M': 10_000_000,
  '1M-10M': 1_000_000,
}
/** Countries for whose people Apollo shows no private addresses. */
const withoutPrivateMail = ['DE', 'GB', 'IE']

export const revenueOf = ({ revenue }: Company): number => revenues[revenue] ?? 0
export const emailStatus = ({ workEmail, confidence }: Person): string =>
  workEmail === undefined ? 'unavailable' : confidence.startsWith('A') ? 'verified' : 'extrapolated'
export const technologyUid = (name: string): string => name.toLowerCase().replaceAll(' ', '_')

export const organizationRecord = (company: Company) => ({
  id: organizationId(company),
  name: company.name,
  website_url: `http://www.${company.domain}`,
  blog_url: null,
  linkedin_url: `http://www.linkedin.com/company/${company.linkedinSlug}`,
  linkedin_uid: company.linkedinId,
  primary_phone: { number: company.phone, source: 'Scraped', sanitized_number: company.phone.replaceAll(' ', '') },
  phone: company.phone,
  sanitized_phone: company.phone.replaceAll(' ', ''),
  founded_year: company.founded,
  primary_domain: company.domain,
  industry: company.industry.toLowerCase(),
  industries: [company.industry.toLowerCase()],
  keywords: [],
  estimated_num_employees: company.employees,
  annual_revenue: revenueOf(company),
  annual_revenue_printed: `${revenueOf(company) / 1_000_000}M`,
  technology_names: company.technologies,
  current_technologies: company.technologies.map((name) => ({ uid: technologyUid(name), name, category: 'Other' })),
  city: company.place.city,
  state: company.place.regionName,
  country: company.place.countryName,
  raw_address: `${company.place.city}, ${company.place.regionName}, ${company.place.countryName}`,
})

export const personRecord = (person: Person, withPersonalEmails: boolean) => {
  const { company, personalEmail } = person
  const isShown = withPersonalEmails && !withoutPrivateMail.includes(company.place.country)
  return {
    id: personId(person),
    first_name: person.firstName,
    last_name: person.lastName,
    name: `${person.firstName} ${person.lastName}`,
    linkedin_url:
      person.linkedinSlug === undefined
        ? null
        : `http://www.linkedin.com/in/${encodeURIComponent(person.linkedinSlug)}`,
    title: person.title,
    headline: `${person.title} at ${company.name}`,
    email: person.workEmail ?? null,
    email_status: emailStatus(person),
    extrapolated_email_confidence: null,
    ...(isShown ? { personal_emails: personalEmail === undefined ? [] : [personalEmail] } : {}),
    photo_url: null,
    twitter_url: null,
    github_url: null,
    facebook_url: null,
    city: company.place.city,
    state: company.place.regionName,
    country: company.place.countryName,
    seniority: person.seniority.key,
    departments: [
      person.seniority.key === 'c_suite'
        ? 'c_suite'
        : (departments[person.department.key] ?? `master_${person.department.key}`),
    ],
    subdepartments: [],
    functions: [person.department.key],
    employment_history: [
      {
        current: true,
        organization_id: organizationId(company),
        organization_name: company.name,
        title: person.title,
        start_date: null,
        end_date: null,
      },
    ],
    organization_id: organizationId(company),
    organization: organizationRecord(company),
    is_likely_to_engage: false,
    show_intent: false,
  }
}

const obfuscated = (name: string): string => `${name.slice(0, 2)}***${name.slice(-1)}`

/** A search row says which details exist, but contains neither the family name nor any address. */
export const personRow = (person: Person) => ({
  id: personId(person),
  first_name: person.firstName,
  last_name_obfuscated: obfuscated(person.lastName),
  title: person.title,
  last_refreshed_at: person.updatedAt,
  has_email: person.workEmail !== undefined,
  has_city: true,
  has_state: true,
  has_country: true,
  has_direct_phone: person.phones.some(({ kind }) => kind === 'mobile')
    ? 'Yes'
    : 'Maybe: please request direct dial via people/bulk_match',
  organization: {
    name: person.company.name,
    has_industry: true,
    has_phone: true,
    has_city: true,
    has_state: true,
    has_country: true,
    has_revenue: true,
    has_employee_count: true,
  },
})
