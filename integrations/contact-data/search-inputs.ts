import type { FieldSpec } from '#kit'
import { filterRows, words } from '#kit'
import { companyRows, companyFilterFields, contactFilterFields, contactRows } from './filter-fields.ts'
import { companyFilters, domain, filterSpecs, size } from './filters.ts'

/** Inputs of the searches of people and of companies, with or without a reveal of what they find. */

/** Key sets of one field each: any of these fields is enough for a search. */
const setsOfOne = (names: string) => names.split(' ').map((name) => [name])

export const contactSearch = () => ({
  jobTitle: words('Job title', 'Job title, such as "operations manager".').optional(),
  company: words('Company', 'Name of the employer.').optional(),
  location: words('Location', 'City, region or country.').optional(),
  industry: words('Industry', 'Industry of the employer.').optional(),
  role: words('Role', 'Role within the company, such as decision maker or director.').optional(),
  seniority: words('Seniority', 'Level, such as director or manager.').optional(),
  department: words('Department', 'Field of work, such as sales or finance.').optional(),
  companyDomain: domain('Company domain', 'Web domain of the employer, such as example.com.').optional(),
  companySize: size('Company size', 'Number of employees of the employer.').optional(),
  ...companyFilters(),
  filters: filterRows(contactFilterFields()).optional(),
})
export const contactSets = () =>
  setsOfOne(
    'jobTitle company location industry role seniority department companyDomain companySize country revenue technologies filters',
  )
export const contactSpecs = {
  ...filterSpecs,
  filters: contactRows,
  jobTitle: { placeholder: 'operations manager' },
  company: { placeholder: 'Example Ltd' },
  role: { placeholder: 'decision maker' },
  seniority: { placeholder: 'director' },
  department: { placeholder: 'sales' },
  companyDomain: { placeholder: 'example.com' },
  companySize: { placeholder: '11-50', unit: 'people' },
} satisfies Record<string, FieldSpec>

export const companySearch = () => ({
  industry: words('Industry', 'Industry of the company.').optional(),
  location: words('Location', 'City, region or country.').optional(),
  size: size('Size', 'Number of employees.').optional(),
  name: words('Name', 'Name of the company or part of it.').optional(),
  domain: domain('Domain', 'Web domain of the company, such as example.com.').optional(),
  ...companyFilters(),
  filters: filterRows(companyFilterFields()).optional(),
})
export const companySets = () => setsOfOne('industry location size name domain country revenue technologies filters')
export const companySpecs = {
  ...filterSpecs,
  filters: companyRows,
  size: { placeholder: '11-50', unit: 'people' },
  name: { placeholder: 'Example' },
  domain: { placeholder: 'example.com' },
} satisfies Record<string, FieldSpec>
