import type { RecordAlias, WireProfile } from '#kit'

const email: RecordAlias = {
  lists: [
    { at: '', item: { value: ['email'], status: ['email_status'] }, set: { type: 'work' } },
    { at: 'personal_emails', item: { value: [''] }, set: { type: 'personal' } },
  ],
}
const phone: RecordAlias = {
  lists: [
    {
      at: 'phone_numbers',
      item: { number: ['sanitized_number', 'raw_number'], type: ['type_cd', 'type'], doNotCall: ['do_not_call'] },
    },
    { at: 'primary_phone', item: { number: ['sanitized_number', 'number'] } },
    { at: 'phone', item: { number: [''] } },
  ],
}
const where = { city: ['city'], region: ['state'], country: ['country'] }

/** Paths in Apollo's responses from which the fields of our records are read. */
export const apolloRecords: NonNullable<WireProfile['records']> = {
  person: {
    id: ['id'],
    fullName: ['name'],
    firstName: ['first_name'],
    lastName: ['last_name'],
    headline: ['headline'],
    jobTitle: ['title'],
    seniority: ['seniority'],
    departments: ['departments', 'functions'],
    company: ['organization.name', 'organization_name'],
    companyId: ['organization.id', 'organization_id'],
    companyDomain: ['organization.primary_domain'],
    companyWebsite: ['organization.website_url'],
    companySize: ['organization.estimated_num_employees'],
    companyIndustry: ['organization.industry'],
    location: ['formatted_address'],
    ...where,
    emails: email,
    phones: phone,
    linkedinUrl: ['linkedin_url'],
    socialProfiles: {
      lists: [
        { at: 'twitter_url', item: { url: [''] }, set: { network: 'x' } },
        { at: 'facebook_url', item: { url: [''] }, set: { network: 'facebook' } },
        { at: 'github_url', item: { url: [''] }, set: { network: 'github' } },
      ],
    },
    hasEmail: ['has_email'],
    hasPhone: ['has_direct_phone'],
    confidence: ['match_confidence', 'extrapolated_email_confidence'],
    updatedAt: ['last_refreshed_at'],
  },
  company: {
    id: ['id'],
    name: ['name'],
    domain: ['primary_domain'],
    website: ['website_url'],
    description: ['short_description', 'seo_description'],
    industry: ['industry'],
    industries: ['industries'],
    employeeCount: ['estimated_num_employees'],
    revenue: ['annual_revenue_printed', 'annual_revenue', 'organization_revenue_printed'],
    foundedYear: ['founded_year'],
    technologies: ['technology_names'],
    specialities: ['keywords'],
    location: ['raw_address'],
    ...where,
    phones: phone,
    linkedinUrl: ['linkedin_url'],
    socialProfiles: {
      lists: [
        { at: 'twitter_url', item: { url: [''] }, set: { network: 'x' } },
        { at: 'facebook_url', item: { url: [''] }, set: { network: 'facebook' } },
      ],
    },
  },
  usage: {
    creditsTotal: ['credit_usage_stats.lead_credit.limit'],
    creditsUsed: ['credit_usage_stats.lead_credit.consumed'],
    creditsRemaining: ['credit_usage_stats.lead_credit.left_over'],
    limits: ['credit_usage_stats'],
  },
}
