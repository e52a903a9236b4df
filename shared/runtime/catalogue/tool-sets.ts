import type { ToolSet } from '#kit'
import type { Loaded } from './registry.ts'

/** The sets of an integration, `core` first; one that declares none has a core of every step that is not legacy. */
export const toolSetsOf = ({ integration, steps }: Loaded): ToolSet[] =>
  integration.toolSets ?? [
    {
      id: 'core',
      title: 'Core',
      purpose: `The steps of ${integration.title}.`,
      steps: [...steps.values()].filter(({ step }) => step.legacy === undefined && step.deprecated === undefined).map(({ step }) => step.id),
    },
  ]
