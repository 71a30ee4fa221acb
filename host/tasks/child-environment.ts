/* What commands inherit of the host's environment: everything but what belongs to the host alone. A provider's key
   must not reach a program that the model wrote (SPEC 12). */

/** The host's own settings, and keys and addresses of model providers. */
const kept = /^(TASK_SURFACE_|OPENAI_|ANTHROPIC_|DEEPSEEK_)/

export function childEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || kept.test(name.toUpperCase()) ? [] : [[name, value]],
    ),
  )
}
