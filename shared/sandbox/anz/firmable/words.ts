/** Firmable's vocabularies: filters take the numbers, records contain the labels. */
import type { Person } from '../../people/data-set.ts'

export const seniorities = new Map([
  ['1', 'Board Member/Company Director'],
  ['2', 'Owner/Founder'],
  ['3', 'C-Suite/Partner'],
  ['4', 'VP/Director/Head of'],
  ['5', 'Manager'],
  ['6', 'Other'],
  ['7', 'No Data'],
])

export const departments = new Map([
  ['1', 'General Management'],
  ['2', 'Sales'],
  ['3', 'Trades'],
  ['4', 'Operations'],
  ['5', 'Engineering & Technical'],
  ['6', 'Human Resources'],
  ['7', 'Customer Service'],
  ['8', 'Medicine & Healthcare'],
  ['9', 'Research & Analysis'],
  ['10', 'Legal'],
  ['11', 'Marketing'],
  ['12', 'Education & Training'],
  ['13', 'Consulting'],
  ['14', 'Finance'],
  ['15', 'Product'],
  ['16', 'Other'],
  ['17', 'No Data'],
])

const seniorityIds: Record<string, string> = {
  owner: '2',
  c_suite: '3',
  vp: '4',
  director: '4',
  head: '4',
  manager: '5',
  senior: '6',
  entry: '6',
}
const departmentIds: Record<string, string> = {
  operations: '4',
  sales: '2',
  engineering: '5',
  finance: '14',
  marketing: '11',
  human_resources: '6',
  customer_service: '7',
  legal: '10',
  product: '15',
}

export const seniorityOf = ({ seniority }: Person): string => seniorityIds[seniority.key] ?? '7'
export const departmentOf = ({ department }: Person): string => departmentIds[department.key] ?? '17'

/** The accepted countries; the first is the default. */
export const countries = ['AU', 'NZ', 'SG', 'MY', 'ID', 'PH', 'HK', 'JP', 'VN', 'KR', 'TH', 'US', 'CA']
