import { useState } from 'preact/hooks'
import type { Problem } from '../api/index.ts'
import { forgetChoices, fromInput, toInput } from './draft.ts'
import type { Layout, Values } from './draft.ts'
import { errorsOf, problemsOf } from './problems.ts'
import type { FormError } from './problems.ts'

/** The errors of a refusal that name fields of the form. */
const refusedFields = (layout: Layout, errors: Problem['errors']): FormError[] =>
  errorsOf(layout, errors).filter(({ pointer }) => pointer !== '')

/** What a user has entered into the form of a layout, and what is wrong with it. */
export const useDraft = (layout: Layout, input?: Values) => {
  const [draft, setDraft] = useState(() => fromInput(input))
  const [errors, setErrors] = useState<FormError[]>([])
  return {
    /** The props of the form. */
    form: { layout, draft, onChange: setDraft, errors },
    /** The input as it is, whether or not something is wrong with it. */
    input: () => toInput(layout, draft),
    /** Whether nothing is wrong with the input; otherwise the form shows what is. */
    check: (): boolean => {
      const wrong = problemsOf(layout, draft)
      setErrors(wrong)
      return wrong.length === 0
    },
    /** Shows which fields the server refused, and returns whether there are any. */
    refuse: (refusal: Problem['errors']): boolean => {
      const refused = refusedFields(layout, refusal)
      setErrors(refused)
      return refused.length > 0
    },
    fill: (values: Values) => {
      setErrors([])
      setDraft(fromInput(values))
    },
    /** Removes the choices that were loaded from another account. */
    forget: () => setDraft((currentDraft) => forgetChoices(layout, currentDraft)),
  }
}
