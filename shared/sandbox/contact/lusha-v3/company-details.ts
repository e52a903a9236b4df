/** What of a company is revealed, and paid for, only when it is named. */
import type { Company } from '../../people/data-set.ts'
import { formOf } from '../lusha/values.ts'

const share = (count: number, part: number) => Math.max(1, Math.round(count * part))

const details: Record<string, (company: Company) => unknown> = {
  employeesByDepartment: ({ employees }) => [
    { department: 'Operations', count: share(employees, 0.6) },
    { department: 'Sales', count: share(employees, 0.4) },
  ],
  employeesByLocation: ({ employees, place }) => [
    { country: place.countryName, state: place.regionName, count: employees },
  ],
  employeesBySeniority: ({ employees }) => [{ seniority: 'Manager', count: share(employees, 0.1) }],
  competitors: () => [{ id: '16309999', name: 'Other Example', domain: 'other.example' }],
  intent: (company) => ({
    detectedTopics: [
      { topicName: company.industry, metadata: { topicScore: 60 + formOf(company, 40), topicTrend: '+12' } },
    ],
    topicCount: 1,
  }),
  estimatedAnnualItSpend: ({ employees }) => ({ value: employees * 1000, currency: 'USD', valueUsd: employees * 1000 }),
  // Not known of every company; null costs nothing.
  monthlyWebsiteTraffic: (company) =>
    formOf(company, 2) === 0 ? null : { visits: company.employees * 100, momChangePercent: 4, month: '2026-10' },
}
export const companyDetailNames = Object.keys(details)

export const companyDetails = (company: Company, names: string[]): Record<string, unknown> =>
  Object.fromEntries(
    names.map((name) => [name, details[name]!(company)] as const).filter(([, value]) => value !== null),
  )
