import type { FieldSpec } from '#kit'
import { failField, normaliseCountry, normalisedText, words } from '#kit'

export const personId = () => words('Person id', 'Id of the person, from an earlier result.')
export const companyId = () => words('Company id', 'Id of the company, from an earlier result.')
export const country = (description: string) =>
  normalisedText(normaliseCountry).meta({
    title: 'Country',
    description: `${description} Code such as NZ, or English name.`,
  })

/** Form settings of fields that several steps share. */
export const specs = {
  country: { placeholder: 'AU' },
  companyDomain: { placeholder: 'example.com.au' },
} satisfies Record<string, FieldSpec>

/** Requires two forms of one identifier to agree; otherwise one of them would be ignored silently. */
export const requireSame = (field: string, other: string, left: string | undefined, right: string | undefined) => {
  if (left !== undefined && right !== undefined && left !== right) {
    throw failField(field, `${field} and ${other} name different people ("${left}" and "${right}"). Give one of them.`)
  }
}
