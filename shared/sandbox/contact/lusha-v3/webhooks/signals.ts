/** The types of signals, and what a delivered signal says. */
import type { Company, Person } from '../../../people/data-set.ts'
import type { World } from '../../../lookups/world.ts'
import { companyId, contactId } from '../../lusha/find.ts'
import { hostOf } from '../../lusha/values.ts'
import type { EntityType } from './state.ts'

const everySignal = 'allSignals'

const newsTypes = [
  'riskNews',
  'commercialActivityNews',
  'corporateStrategyNews',
  'financialEventsNews',
  'peopleNews',
  'marketIntelligenceNews',
  'productActivityNews',
]

export const signalTypes: Record<EntityType, string[]> = {
  contact: [everySignal, 'promotion', 'companyChange'],
  company: [
    everySignal,
    'linkedinActivityIntent',
    'websiteTrafficDecrease',
    'websiteTrafficIncrease',
    'itSpendIncrease',
    'itSpendDecrease',
    'surgeInHiring',
    ...['Increase', 'Decrease'].flatMap((way) => [1, 3, 6, 12].map((months) => `headcount${way}${months}m`)),
    'surgeInHiringByDepartment',
    'surgeInHiringByLocation',
    ...newsTypes,
  ],
}

/** The types that happen; the one for all of them is only subscribed to. */
export const happens = (entityType: EntityType, type: string): boolean =>
  type !== everySignal && signalTypes[entityType].includes(type)

export const includes = (wanted: string[], type: string): boolean =>
  wanted.includes(type) || wanted.includes(everySignal)

const contactData = (world: World, person: Person, type: string, date: string) => {
  const { company } = person
  const previous = type === 'promotion' ? company : (world.companies.find(({ id }) => id !== company.id) ?? company)
  return {
    personId: Number(contactId(person)),
    currentCompanyId: Number(companyId(company)),
    currentCompanyName: company.name,
    currentDomain: hostOf(company),
    currentTitle: person.title,
    currentDepartments: [{ id: 7, value: person.department.label }],
    previousCompanyName: previous.name,
    previousDomain: hostOf(previous),
    signalDate: date,
  }
}

export const companySignal = (company: Company, type: string, date: string, count: number) => {
  const about = { companyId: companyId(company), companyName: company.name, domain: hostOf(company) }
  if (!newsTypes.includes(type)) return { ...about, signalDate: date }
  return {
    ...about,
    signalId: String(1_503_000 + count),
    eventType: 'partnership',
    eventSummary: `${company.name} announced a partnership.`,
    articlePublishedDate: date,
    articleTitle: `${company.name} has a new partner`,
    articleHighlight: `Both say that ${company.name} will gain from it.`,
    eventEffectiveDate: date,
    articleUrl: `https://news.example/${count}`,
  }
}

/** What a signal about a fictional person or company says; an unknown id has a date alone. */
export const signalData = (
  world: World,
  { entityType, entityId }: { entityType: EntityType; entityId: string },
  type: string,
  count: number,
): object => {
  const date = new Date(world.now()).toISOString().slice(0, 10)
  if (entityType === 'contact') {
    const person = world.people.find((candidate) => contactId(candidate) === entityId)
    return person === undefined ? { signalDate: date } : contactData(world, person, type, date)
  }
  const company = world.companies.find((candidate) => companyId(candidate) === entityId)
  return company === undefined ? { signalDate: date } : companySignal(company, type, date, count)
}
