import type { PerformOptions } from "./scene";
import type { EditRequest, SpeakOptions } from "./take-types";

/** What a page says, as the wire has it: only the fields that are given. */
export function speakFields({ voice, more, lineId, speaker, direction, seed }: SpeakOptions) {
  return {
    ...(voice === undefined ? {} : { voice }),
    ...(more ? { more } : {}),
    ...(lineId === undefined ? {} : { line_id: lineId }),
    ...(speaker === undefined ? {} : { speaker }),
    ...(direction === undefined ? {} : { direction }),
    ...(seed === undefined ? {} : { seed }),
  };
}

export function editFields(request: EditRequest) {
  return "text" in request ? { text: request.text } : { changes: request.changes };
}

export function performFields(options: PerformOptions) {
  const { format, cast, directions, more, sceneId } = options;
  return {
    ...(format === undefined ? {} : { format }),
    ...(cast === undefined ? {} : { cast }),
    ...(directions === undefined ? {} : { directions }),
    ...(more ? { more } : {}),
    ...(sceneId === undefined ? {} : { scene_id: sceneId }),
  };
}
