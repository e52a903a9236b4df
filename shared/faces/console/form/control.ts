import { useState } from 'preact/hooks'
import type { LayoutField } from './draft.ts'

/** Attributes that tie an input to its label, description and error. */
export type InputAttributes = {
  id: string
  disabled: boolean
  'aria-describedby': string | undefined
  'aria-invalid': true | undefined
  'aria-errormessage': string | undefined
}

export type FieldProps = {
  field: LayoutField
  /** JSON pointer into the form's values. */
  pointer: string
  value: unknown
  set(value: unknown): void
  /** Why the field cannot be filled in now. */
  off?: string
}
export type ControlProps = FieldProps & { attributes: InputAttributes }

/**
 * The text of an input whose value is parsed from it: the text stays as the user typed it until the value changes from
 * outside.
 */
export const useTyped = (
  value: unknown,
  show: (value: unknown) => string,
  read: (text: string) => unknown,
  set: (value: unknown) => void,
) => {
  const [typed, setTyped] = useState({ text: show(value), value })
  return {
    text: Object.is(typed.value, value) ? typed.text : show(value),
    type(text: string) {
      const next = read(text)
      setTyped({ text, value: next })
      set(next)
    },
  }
}
