import { text } from './declare.ts'

/** For what a token that is bound to nobody does for a person. */
export const personOption = text('<id>', "the end user it acts for, by your platform's id; uses their accounts first")

/** For lists. */
export const personFilter = text('<id>', "only of this end user, by your platform's id")

/** The column of the person, for lists in which a row has one. */
export const personColumn = (rows: { person: string | null }[]) => {
  const isShown = rows.some(({ person }) => person !== null)
  return ({ person }: { person: string | null }): { person?: string } => (isShown ? { person: person ?? '' } : {})
}
