import type { SessionState } from "voice-server-sdk";

/** What the loaded voice and the session allow at this moment. */
export interface Abilities {
  readonly direct: boolean;
  readonly edit: boolean;
  readonly keep: boolean;
}

export const NOTHING: Abilities = { direct: false, edit: false, keep: false };

export function abilities(state: SessionState): Abilities {
  if (state.name !== "open") return NOTHING;
  const { can } = state.opened.engine;
  const [direct, edit] = [can.includes("direct"), can.includes("edit")];
  return { direct, edit, keep: direct || edit };
}
