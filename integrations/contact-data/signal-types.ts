/** Kinds of signals with their titles, under the names that search filters use too. */

export const contactSignalTypes = {
  promotion: 'Promotion',
  companyChange: 'Change of employer',
}

const spans = { '1m': '1 month', '3m': '3 months', '6m': '6 months', '12m': '12 months' }
const headcounts = (way: 'Increase' | 'Decrease', words: string) =>
  Object.fromEntries(Object.entries(spans).map(([span, title]) => [`headcount${way}${span}`, `${words} in ${title}`]))

export const companySignalTypes: { [type: string]: string } = {
  linkedinActivityIntent: 'Intent shown by activity',
  websiteTrafficDecrease: 'Less website traffic',
  websiteTrafficIncrease: 'More website traffic',
  itSpendIncrease: 'More IT spend',
  itSpendDecrease: 'Less IT spend',
  surgeInHiring: 'Surge in hiring',
  ...headcounts('Increase', 'More staff'),
  ...headcounts('Decrease', 'Less staff'),
  surgeInHiringByDepartment: 'Surge in hiring in a department',
  surgeInHiringByLocation: 'Surge in hiring in a place',
  riskNews: 'News of risks',
  commercialActivityNews: 'News of business',
  corporateStrategyNews: 'News of strategy',
  financialEventsNews: 'News of finances',
  peopleNews: 'News of people',
  marketIntelligenceNews: 'News of the market',
  productActivityNews: 'News of products',
}
