/** A labelled field with its hint and its error. */
import type { ComponentChildren, JSX, TargetedInputEvent } from 'preact'
import { useId } from 'preact/hooks'
import type { Problem } from '../api/client.ts'

/** The server's message about one field, by the field's name. */
export const errorAt = (problem: Problem | undefined, name: string) =>
  problem?.errors?.find(({ pointer }) => pointer === `/${name}` || pointer.startsWith(`/${name}/`))?.message

type Common = { label: string; hint?: ComponentChildren; error?: string | undefined }

const Around = ({ id, label, hint, error, children }: Common & { id: string; children: ComponentChildren }) => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
    {hint && (
      <p class="muted" id={`${id}-hint`}>
        {hint}
      </p>
    )}
    {error && (
      <p class="field-error" id={`${id}-error`}>
        {error}
      </p>
    )}
  </div>
)
const described = (id: string, { hint, error }: Common) => ({
  id,
  'aria-describedby': [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined,
  'aria-invalid': error ? ('true' as const) : undefined,
})

type TextProps = Common & {
  value: string
  change(value: string): void
  type?: 'text' | 'url' | 'number' | 'search' | 'datetime-local'
  required?: boolean
  maxLength?: number
  /** The smallest number allowed. */
  min?: number
  placeholder?: string
}

export const TextField = ({ label, hint, error, value, change, ...inputProps }: TextProps) => {
  const id = useId()
  const onInput = (event: TargetedInputEvent<HTMLInputElement>) => change(event.currentTarget.value)
  const attributes = {
    type: 'text',
    autocomplete: 'off',
    ...inputProps,
    ...described(id, { label, hint, error }),
    value,
    onInput,
  } as JSX.IntrinsicElements['input']
  return (
    <Around id={id} label={label} hint={hint} error={error}>
      <input {...attributes} />
    </Around>
  )
}

type ChoiceProps = Common & { value: string; change(value: string): void; options: [value: string, label: string][] }

export const ChoiceField = ({ label, hint, error, value, change, options }: ChoiceProps) => {
  const id = useId()
  return (
    <Around id={id} label={label} hint={hint} error={error}>
      <select
        {...described(id, { label, hint, error })}
        value={value}
        onChange={(event) => change(event.currentTarget.value)}
      >
        {options.map(([optionValue, text]) => (
          <option key={optionValue} value={optionValue}>
            {text}
          </option>
        ))}
      </select>
    </Around>
  )
}

type ChecksProps = {
  legend: string
  hint?: string
  chosen: string[]
  change(chosen: string[]): void
  options: { value: string; label: ComponentChildren; disabled?: boolean }[]
}

/** Checkboxes to choose several values of a list. */
export const Checks = ({ legend, hint, chosen, change, options }: ChecksProps) => (
  <fieldset class="checks">
    <legend>{legend}</legend>
    {hint && <p class="muted">{hint}</p>}
    {options.map(({ value, label, disabled }) => (
      <label key={value}>
        <input
          type="checkbox"
          checked={chosen.includes(value)}
          disabled={disabled}
          onChange={(event) =>
            change(
              event.currentTarget.checked ? [...chosen, value] : chosen.filter((chosenValue) => chosenValue !== value),
            )
          }
        />{' '}
        <span>{label}</span>
      </label>
    ))}
  </fieldset>
)
