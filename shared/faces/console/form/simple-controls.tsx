/** Controls made of one or a few native inputs. */
import { useState } from 'preact/hooks'
import { Select, TextArea, TextInput } from '../ui/index.ts'
import type { ControlProps } from './control.ts'
import { useTyped } from './control.ts'
import { convert, handyUnit, readNumber, showNumber, showSpan, unitTitles, unitsFrom } from './numbers.ts'
import type { TimeUnit } from './numbers.ts'

const textTypes: Record<string, string> = { secret: 'password', url: 'url', email: 'email' }
const showText = (value: unknown) => (value === undefined ? '' : String(value))

export const TextControl = ({ field, value, set, attributes }: ControlProps) => (
  <TextInput
    {...attributes}
    type={textTypes[field.control] ?? 'text'}
    required={field.required}
    value={showText(value)}
    placeholder={field.placeholder}
    autocomplete={field.control === 'secret' ? 'new-password' : 'off'}
    spellcheck={field.control === 'text'}
    change={set}
  />
)

export const LongTextControl = ({ field, value, set, attributes }: ControlProps) => (
  <TextArea
    {...attributes}
    rows={5}
    required={field.required}
    value={showText(value)}
    placeholder={field.placeholder}
    change={set}
  />
)

/** A text input, because browsers do not reveal the invalid text of a number input. */
const NumberInput = ({
  control: { field, attributes },
  name,
  typed,
}: {
  control: ControlProps
  name?: string
  typed: ReturnType<typeof useTyped>
}) => (
  <TextInput
    {...attributes}
    inputMode="decimal"
    required={field.required}
    aria-label={name}
    value={typed.text}
    placeholder={field.placeholder}
    change={typed.type}
  />
)

export const NumberControl = (control: ControlProps) => {
  const { field, value, set } = control
  const typed = useTyped(value, showNumber, readNumber, set)
  return (
    <span class="with-unit">
      <NumberInput control={control} typed={typed} />
      {field.unit !== undefined && <span>{field.unit}</span>}
    </span>
  )
}

export const DurationControl = (control: ControlProps) => {
  const { field, value, set, attributes } = control
  const stored = field.unit as TimeUnit
  const initialValue = typeof value === 'number' ? value : typeof field.default === 'number' ? field.default : undefined
  const [unit, setUnit] = useState<TimeUnit>(() =>
    initialValue === undefined
      ? (unitsFrom(stored)[stored === 'ms' ? 1 : 0] ?? stored)
      : handyUnit(initialValue, stored),
  )
  const show = (newValue: unknown) =>
    showNumber(typeof newValue === 'number' ? convert(newValue, stored, unit) : newValue)
  const read = (text: string, from = unit) => {
    const count = readNumber(text)
    return typeof count === 'number' ? convert(count, from, stored) : count
  }
  const typed = useTyped(value, show, read, set)
  const changeUnit = (to: TimeUnit) => {
    setUnit(to)
    set(read(typed.text, to))
  }
  return (
    <span class="with-unit">
      <NumberInput control={control} name={field.title} typed={typed} />
      <Select
        aria-label={`Unit of ${field.title}`}
        disabled={attributes.disabled}
        value={unit}
        change={(chosen) => changeUnit(chosen as TimeUnit)}
        options={unitsFrom(stored).map((timeUnit) => [timeUnit, unitTitles[timeUnit]])}
      />
    </span>
  )
}

const titleOf = (labels: Record<string, string> | undefined, choice: unknown) =>
  labels?.[String(choice)] ?? String(choice)

/** A field's default value in words. */
export const showDefault = ({ control, unit, labels, default: value }: ControlProps['field']): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (control === 'duration' && typeof value === 'number') return showSpan(value, unit as TimeUnit)
  if (Array.isArray(value)) return value.map((item) => titleOf(labels, item)).join(', ') || 'none'
  return typeof value === 'object' ? JSON.stringify(value) : titleOf(labels, value)
}

/** Radio buttons, because a switch that may stay unset has three states. */
export const SwitchControl = ({ field, pointer, value, set, attributes }: ControlProps) => {
  const { id, disabled } = attributes
  const states: [title: string, state: boolean | undefined][] = [
    ...(field.required ? [] : [['Not set', undefined] as [string, undefined]]),
    ['Yes', true],
    ['No', false],
  ]
  return (
    <div class="choices">
      {states.map(([title, state], index) => (
        <label key={title}>
          <input
            type="radio"
            id={index === 0 ? id : undefined}
            name={id + pointer}
            disabled={disabled}
            checked={value === state}
            onChange={() => set(state)}
          />{' '}
          {title}
        </label>
      ))}
    </div>
  )
}

export const ChoiceControl = ({ field, value, set, attributes }: ControlProps) => {
  const { choices = [], labels, required } = field
  return (
    <Select
      {...attributes}
      required={required}
      value={showText(value)}
      change={set}
      options={[
        ['', required ? 'Choose…' : 'Not set'],
        ...choices.map((choice): [string, string] => [choice, titleOf(labels, choice)]),
      ]}
    />
  )
}

export const ChoicesControl = ({ field, value, set, attributes }: ControlProps) => {
  const { id, ...otherAttributes } = attributes
  const chosen = Array.isArray(value) ? (value as unknown[]) : []
  const toggle = (choice: string, isOn: boolean) => {
    const all = [...(field.choices ?? []), ...chosen.filter((item) => !field.choices?.includes(String(item)))]
    set(all.filter((item) => (item === choice ? isOn : chosen.includes(item))))
  }
  return (
    <div class="choices">
      {field.choices?.map((choice, index) => (
        <label key={choice}>
          <input
            {...otherAttributes}
            type="checkbox"
            id={index === 0 ? id : undefined}
            checked={chosen.includes(choice)}
            onChange={(event) => toggle(choice, event.currentTarget.checked)}
          />{' '}
          {titleOf(field.labels, choice)}
        </label>
      ))}
    </div>
  )
}
