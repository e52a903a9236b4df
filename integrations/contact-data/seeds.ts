import { failField, linkedinCompanyUrl, normalisedText, z } from '#kit'

/** Records that others are to resemble, as lists of one identifier each. */

const most = 100
const least = 5

export const companyUrl = () =>
  normalisedText(linkedinCompanyUrl).meta({ title: 'LinkedIn address', description: 'Address of the LinkedIn page.' })

export const listOf = <T extends z.ZodType>(item: T, title: string, description: string) =>
  z
    .array(item)
    .min(1)
    .max(most)
    .optional()
    .meta({ title, description: `${description} Up to ${most}.` })

/** @throws Failure `invalid_input` when the named fields hold too few or too many together */
export const requireSeeds = (names: string[], query: Record<string, unknown>) => {
  const count = names.reduce((sum, name) => sum + ((query[name] as unknown[] | undefined)?.length ?? 0), 0)
  if (count >= least && count <= most) return
  throw failField(
    names[0]!,
    `Give ${least} to ${most} in ${names.join(', ')} together; ${count} are there. Nothing was sent.`,
  )
}
