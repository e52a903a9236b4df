/** The native controls that fields are made of. */
import type { AllHTMLAttributes, ComponentChildren } from 'preact'

/** Every attribute but those that the control sets itself. */
type Attributes<E extends EventTarget> = Omit<AllHTMLAttributes<E>, 'onInput' | 'value'>

type InputProps = Attributes<HTMLInputElement> & { value?: string; change?(text: string): void }

export const TextInput = ({ change, ...attributes }: InputProps) => (
  <input
    type="text"
    autocomplete="off"
    {...(attributes as object)}
    onInput={(event) => change?.(event.currentTarget.value)}
  />
)

type AreaProps = Attributes<HTMLTextAreaElement> & { value?: string; change?(text: string): void }

/** A text of several lines. */
export const TextArea = ({ change, ...attributes }: AreaProps) => (
  <textarea autocomplete="off" {...(attributes as object)} onInput={(event) => change?.(event.currentTarget.value)} />
)

/** A value with its label, or a group of them. */
export type Choice = [value: string, label: ComponentChildren] | [group: string, choices: Choice[]]
const isGroup = (choice: Choice): choice is [string, Choice[]] =>
  Array.isArray(choice[1]) && choice[1].every((part) => Array.isArray(part))
const isIn = (choices: Choice[], value: string): boolean =>
  choices.some((choice) => (isGroup(choice) ? isIn(choice[1], value) : choice[0] === value))

const Options = ({ choices }: { choices: Choice[] }) =>
  choices.map((choice) =>
    isGroup(choice) ? (
      <optgroup key={choice[0]} label={choice[0]}>
        <Options choices={choice[1]} />
      </optgroup>
    ) : (
      <option key={choice[0]} value={choice[0]}>
        {choice[1]}
      </option>
    ),
  )

type SelectProps = Omit<Attributes<HTMLSelectElement>, 'onChange'> & {
  value: string
  change(value: string): void
  options: Choice[]
}

/** A chosen value that is none of the options is one more of them. */
export const Select = ({ value, change, options, ...attributes }: SelectProps) => (
  <select {...(attributes as object)} value={value} onChange={(event) => change(event.currentTarget.value)}>
    <Options choices={value === '' || isIn(options, value) ? options : [...options, [value, value]]} />
  </select>
)
