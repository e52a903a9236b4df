import type { Cost } from '#kit'

export const describeCost = ({ per, typical: [min, max], unit }: Cost) => {
  const amount = min === max ? `${max}` : min === 0 ? `up to ${max}` : `${min} to ${max}`
  return `Costs ${amount} ${unit}${max === 1 ? '' : 's'} per ${per} of the account.`
}
