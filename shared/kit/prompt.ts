/** A value that the person who chose a prompt fills in. */
export type PromptArgument = {
  name: string
  title: string
  description: string
  required?: boolean
  /** The only values there are. */
  choices?: string[]
  /** A whole number in this range, both ends included. */
  whole?: { min: number; max: number }
  /** Characters of the value, 200 unless stated. */
  maxLength?: number
  /** Field of a step whose choices are offered while somebody types, by their labels. */
  options?: { step: string; field: string }
}

/** A task that a person gives to an agent by choosing it from a menu of their MCP host. */
export type Prompt = {
  /** Kebab-case; its name over MCP is `<integration>_<id>` in snake case. */
  id: string
  title: string
  /** One sentence: what the agent will do. */
  purpose: string
  /** Name of an icon in `manifests/icons/steps`. */
  icon?: string
  /** Ids of the steps it cannot do without: a caller that may not run all of them is not offered it. */
  steps: string[]
  arguments: PromptArgument[]
  /** The message to the model. `values`: the arguments that are present, checked. */
  text(values: { [argument: string]: string }): string
}
