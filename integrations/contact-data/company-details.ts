import { companyRecord, z } from '#kit'

/** Details of companies beyond their profile; each has its own price. */
export const companyDetails = {
  employeesByDepartment: 'Employees by department',
  employeesByLocation: 'Employees by location',
  employeesBySeniority: 'Employees by seniority',
  competitors: 'Competitors',
  intent: 'Buying intent',
  itSpend: 'Yearly IT spend',
  websiteTraffic: 'Website traffic',
}
export const detailNames = Object.keys(companyDetails) as [keyof typeof companyDetails]

export const details = () =>
  z.array(z.enum(detailNames)).max(detailNames.length).default([]).meta({
    title: 'Details',
    description: 'Details to show beyond the profile. Each has its own price; none by default.',
  })

export const detailedCompany = () =>
  companyRecord().extend(Object.fromEntries(detailNames.map((name) => [name, z.unknown().optional()])))

/** Paths of the details in results, for agents to choose from. */
export const detailFields = detailNames.map((name) => `results.record.${name}`)
