import { useState } from 'preact/hooks'
import { Button, Select, TextInput } from '../ui/index.ts'
import type { ControlProps } from './control.ts'
import { useTyped } from './control.ts'
import { Unreadable } from './draft.ts'
import { readMoment, readTyped, readersZone, showMoment, zones } from './moments.ts'
import type { Entered } from './moments.ts'

const showText = (value: unknown) => (value instanceof Unreadable ? value.text : String(value ?? ''))

const Typed = ({ field, value, set, attributes }: ControlProps) => {
  const { text, type } = useTyped(value, showText, readTyped, set)
  return (
    <TextInput
      {...attributes}
      aria-label={`${field.title} as text`}
      placeholder="2026-03-31T17:00:00+11:00"
      value={text}
      change={type}
    />
  )
}

const MomentFields = ({ field, value, set, attributes }: ControlProps) => {
  const [shownMoment, setKnown] = useState<{ entered: Entered; value: unknown }>(() => ({
    entered: showMoment(value, readersZone()),
    value,
  }))
  const entered = Object.is(shownMoment.value, value)
    ? shownMoment.entered
    : showMoment(value, shownMoment.entered.zone)
  const enter = (changes: Partial<Entered>) => {
    const next = { ...entered, ...changes }
    const read = readMoment(next)
    setKnown({ entered: next, value: read })
    set(read)
  }
  const { id: _, ...otherAttributes } = attributes
  return (
    <div class="moment">
      <TextInput
        {...attributes}
        type="date"
        aria-label="Date"
        required={field.required}
        value={entered.date}
        change={(date) => enter({ date })}
      />
      <TextInput
        {...otherAttributes}
        type="time"
        aria-label="Time"
        required={field.required}
        value={entered.time}
        change={(time) => enter({ time })}
      />
      <Select
        disabled={attributes.disabled}
        aria-label="Time zone"
        value={entered.zone}
        change={(zone) => enter({ zone })}
        options={zones().map((zone) => [zone, zone.replaceAll('_', ' ')])}
      />
    </div>
  )
}

/** Inputs for date, time and zone, or one input for the whole moment as text. */
export const DateTimeControl = (props: ControlProps) => {
  const [isTyped, setTyped] = useState(false)
  const { field, value, set, attributes } = props
  return (
    <>
      {isTyped ? <Typed {...props} /> : <MomentFields {...props} />}
      <span class="row">
        <Button
          kind="quiet"
          disabled={attributes.disabled}
          onClick={() => {
            if (value instanceof Unreadable) set(undefined)
            setTyped(!isTyped)
          }}
        >
          {isTyped ? 'Choose date and time' : 'Enter as text'}
        </Button>
        {!field.required && value !== undefined && !isTyped && (
          <Button
            kind="quiet"
            disabled={attributes.disabled}
            aria-label={`Clear ${field.title}`}
            onClick={() => set(undefined)}
          >
            Clear
          </Button>
        )}
      </span>
    </>
  )
}
