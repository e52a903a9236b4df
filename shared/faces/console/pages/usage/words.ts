/** Credits, money and budgets in words. */
import type { Budget } from '../../../../api/resources/budget.ts'
import type { Money } from '../../../../api/resources/money.ts'
import { integrationTitle } from '../../api/index.ts'
import { number, plural, withEstimate } from '../../ui/index.ts'

export const periods: Record<Budget['period'], string> = {
  day: 'a day',
  week: 'a week',
  month: 'a month',
  total: 'in all',
}

export const moneyOf = ({ amount, currency }: Money) =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount)

/** Sums by currency, such as "€ 1.20 and $ 3.00"; undefined where nothing has a price. */
export const sumOfMoney = (rows: { money?: Money }[]): string | undefined => {
  const sums = new Map<string, number>()
  for (const { money } of rows) if (money) sums.set(money.currency, (sums.get(money.currency) ?? 0) + money.amount)
  const texts = [...sums].map(([currency, amount]) => moneyOf({ currency, amount }))
  return texts.length === 0 ? undefined : texts.join(' and ')
}

export const spentOf = (spent: number, estimated = 0) => (spent === 0 ? 'nothing' : withEstimate(spent, estimated))

/** What a budget allows: "at most 100 credits a month". */
export const limitOf = ({ credits, period, integration }: Pick<Budget, 'credits' | 'period' | 'integration'>) =>
  `at most ${number(credits)} ${credits === 1 ? 'credit' : 'credits'} ${periods[period]}${integration === null ? '' : ` at ${integrationTitle(integration)}`}`

const gone = {
  connection: 'Runs with a connection that is gone',
  token: 'Runs of a token that is gone',
  person: 'Runs for one person',
}

/** Whose runs a budget counts. */
export const whoseOf = ({ scope, subjectName }: Pick<Budget, 'scope' | 'subjectName'>) => {
  if (scope === 'tenant') return 'All runs together'
  if (subjectName === null) return gone[scope]
  if (scope === 'person') return `Runs for ${subjectName}`
  return scope === 'connection' ? `Runs with “${subjectName}”` : `Runs of “${subjectName}”`
}

export const runsOf = (runs: number, failed: number) =>
  `${plural(runs, 'run')}${failed > 0 ? `, ${number(failed)} of them failed` : ''}`
