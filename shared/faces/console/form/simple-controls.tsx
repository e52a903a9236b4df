/** Controls made of one or a few native inputs. */
import { useState } from 'preact/hooks'
import type { ControlProps } from './control.ts'
import { useTyped } from './control.ts'
import { convert, handyUnit, readNumber, showNumber, showSpan, unitTitles, unitsFrom } from './numbers.ts'
import type { TimeUnit } from './numbers.ts'

// `TextControl` casts these to 'text', because its attributes fit each of these input types.
const textTypes: Record<string, string> = { secret: 'password', url: 'url', email: 'email' }
const showText = (value: unknown) => (value === undefined ? '' : String(value))

export const TextControl = ({ field, value, set, attributes }: ControlProps) => (
  <input
    {...attributes}
    type={(textTypes[field.control] ?? 'text') as 'text'}
    required={field.required}
    value={showText(value)}
    placeholder={field.placeholder}
    autocomplete={field.control === 'secret' ? 'new-password' : 'off'}
    spellcheck={field.control === 'text'}
    onInput={(event) => set(event.currentTarget.value)}
  />
)

export const LongTextControl = ({ field, value, set, attributes }: ControlProps) => (
  <textarea
    {...attributes}
    rows={5}
    required={field.required}
    value={showText(value)}
    placeholder={field.placeholder}
    onInput={(event) => set(event.currentTarget.value)}
  />
)

/** A text input, because browsers do not reveal the invalid text of a number input. */
export const NumberControl = ({ field, value, set, attributes }: ControlProps) => {
  const { text, type } = useTyped(value, showNumber, readNumber, set)
  return (
    <span class="with-unit">
      <input
        {...attributes}
        type="text"
        inputMode="decimal"
        autocomplete="off"
        required={field.required}
        value={text}
        placeholder={field.placeholder}
        onInput={(event) => type(event.currentTarget.value)}
      />
      {field.unit !== undefined && <span>{field.unit}</span>}
    </span>
  )
}

export const DurationControl = ({ field, value, set, attributes }: ControlProps) => {
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
  const { text, type } = useTyped(value, show, read, set)
  const changeUnit = (to: TimeUnit) => {
    setUnit(to)
    set(read(text, to))
  }
  return (
    <span class="with-unit">
      <input
        {...attributes}
        type="text"
        inputMode="decimal"
        autocomplete="off"
        required={field.required}
        aria-label={field.title}
        value={text}
        placeholder={field.placeholder}
        onInput={(event) => type(event.currentTarget.value)}
      />
      <select
        aria-label={`Unit of ${field.title}`}
        disabled={attributes.disabled}
        value={unit}
        onChange={(event) => changeUnit(event.currentTarget.value as TimeUnit)}
      >
        {unitsFrom(stored).map((timeUnit) => (
          <option key={timeUnit} value={timeUnit}>
            {unitTitles[timeUnit]}
          </option>
        ))}
      </select>
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
  const strange = typeof value === 'string' && !choices.includes(value)
  return (
    <select
      {...attributes}
      required={required}
      value={showText(value)}
      onChange={(event) => set(event.currentTarget.value)}
    >
      <option value="">{required ? 'Choose…' : 'Not set'}</option>
      {[...choices, ...(strange ? [value] : [])].map((choice) => (
        <option key={choice} value={choice}>
          {titleOf(labels, choice)}
        </option>
      ))}
    </select>
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
