"""Reads Perfetto's binary format: the messages and fields that reports/report_perfetto.c uses,
checked against Perfetto's schema (field numbers, wire types), with a reader's duties: relative
clocks, defaults of a sequence, interned names."""
import struct

# message: {field number: (name, kind)}; kind: "n" number, "8" fixed64, "s" text, or the name of a
# message. As in protos/perfetto/trace/*.proto.
SCHEMA = {
    "Trace": {1: ("packet", "TracePacket")},
    "TracePacket": {
        6: ("clock_snapshot", "ClockSnapshot"),
        8: ("timestamp", "n"),
        10: ("trusted_packet_sequence_id", "n"),
        11: ("track_event", "TrackEvent"),
        12: ("interned_data", "InternedData"),
        13: ("sequence_flags", "n"),
        58: ("timestamp_clock_id", "n"),
        59: ("trace_packet_defaults", "TracePacketDefaults"),
        60: ("track_descriptor", "TrackDescriptor"),
    },
    "ClockSnapshot": {1: ("clocks", "Clock")},
    "Clock": {
        1: ("clock_id", "n"),
        2: ("timestamp", "n"),
        3: ("is_incremental", "n"),
        4: ("unit_multiplier_ns", "n"),
    },
    "TracePacketDefaults": {
        11: ("track_event_defaults", "TrackEventDefaults"),
        58: ("timestamp_clock_id", "n"),
    },
    "TrackEventDefaults": {11: ("track_uuid", "n")},
    "TrackDescriptor": {
        1: ("uuid", "n"),
        2: ("name", "s"),
        3: ("process", "ProcessDescriptor"),
        4: ("thread", "ThreadDescriptor"),
        5: ("parent_uuid", "n"),
    },
    "ProcessDescriptor": {1: ("pid", "n"), 6: ("process_name", "s")},
    "ThreadDescriptor": {1: ("pid", "n"), 2: ("tid", "n"), 5: ("thread_name", "s")},
    "TrackEvent": {
        3: ("category_iids", "n"),
        4: ("debug_annotations", "DebugAnnotation"),
        9: ("type", "n"),
        10: ("name_iid", "n"),
        11: ("track_uuid", "n"),
        47: ("flow_ids", "8"),
        48: ("terminating_flow_ids", "8"),
    },
    "DebugAnnotation": {
        1: ("name_iid", "n"),
        3: ("uint_value", "n"),
        17: ("string_value_iid", "n"),
    },
    "InternedData": {
        1: ("event_categories", "Interned"),
        2: ("event_names", "Interned"),
        3: ("debug_annotation_names", "Interned"),
        29: ("debug_annotation_string_values", "Interned"),
    },
    "Interned": {1: ("iid", "n"), 2: ("name", "s")},
}


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data, message):
    """Yields each field as (name, value); the value of a submessage is (name of message, bytes)."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key >> 3 not in SCHEMA[message]:
            raise SystemExit(f"{message} has no field {key >> 3} that we write")
        name, kind = SCHEMA[message][key >> 3]
        if key & 7 != {"n": 0, "8": 1}.get(kind, 2):
            raise SystemExit(f"{message}.{name} is of another type")
        if kind == "n":
            value, at = varint(data, at)
        elif kind == "8":
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        else:
            size, at = varint(data, at)
            if at + size > len(data):
                raise SystemExit(f"{message}.{name} is cut")
            value, at = data[at : at + size], at + size
            value = value.decode() if kind == "s" else (kind, value)
        yield name, value


def tree(part):
    """Returns a message as a dict of lists."""
    found = {}
    for name, value in fields(part[1], part[0]):
        found.setdefault(name, []).append(tree(value) if isinstance(value, tuple) else value)
    return found


class Timeline:
    """tracks: {uuid: descriptor}; slices: {track: [[start, end or None, name, text, depth, flows
    out, flows in, category, times]]}."""

    def __init__(self, path):
        self.tracks, self.slices, self.sequence = {}, {}, {}
        for _, packet in fields(memoryview(open(path, "rb").read()).tobytes(), "Trace"):
            self.packet(tree(packet))
        self.unfinished = sum(len(state["open"]) for state in self.sequence.values())

    def packet(self, packet):
        if "track_descriptor" in packet:
            track = packet["track_descriptor"][0]
            self.tracks[track["uuid"][0]] = track
            return
        number = packet["trusted_packet_sequence_id"][0]
        if packet.get("sequence_flags", [0])[0] & 1:
            self.sequence[number] = {"now": None, "names": {}, "open": []}
        state = self.sequence[number]
        if "trace_packet_defaults" in packet:
            defaults = packet["trace_packet_defaults"][0]
            state["clock"], state["track"] = (
                defaults["timestamp_clock_id"][0],
                defaults["track_event_defaults"][0]["track_uuid"][0],
            )
        for kind, values in packet.get("interned_data", [{}])[0].items():
            for value in values:
                if (
                    state["names"].setdefault((kind, value["iid"][0]), value["name"][0])
                    != value["name"][0]
                ):
                    raise SystemExit("a number is told twice")
        if "clock_snapshot" in packet:
            clocks = {
                clock["clock_id"][0]: clock for clock in packet["clock_snapshot"][0]["clocks"]
            }
            if (
                not clocks[state["clock"]]["is_incremental"][0]
                or clocks[6]["timestamp"] != clocks[state["clock"]]["timestamp"]
            ):
                raise SystemExit("the clocks do not agree")
            state["now"] = clocks[state["clock"]]["timestamp"][0]
        if "track_event" in packet:
            state["now"] += packet["timestamp"][0]
            self.event(state, packet["track_event"][0])

    def event(self, state, event):
        slices = self.slices.setdefault(state["track"], [])
        if event["type"] == [1]:
            notes = {
                state["names"]["debug_annotation_names", note["name_iid"][0]]: (
                    note["uint_value"][0]
                    if "uint_value" in note
                    else state["names"][
                        "debug_annotation_string_values", note["string_value_iid"][0]
                    ]
                )
                for note in event["debug_annotations"]
            }
            category = [
                state["names"]["event_categories", number]
                for number in event.get("category_iids", [])
            ]
            slices.append(
                [
                    state["now"],
                    None,
                    state["names"]["event_names", event["name_iid"][0]],
                    notes["call"],
                    len(state["open"]),
                    event.get("flow_ids", []),
                    [],
                    category,
                    notes.get("times", 1),
                ]
            )
            state["open"].append(slices[-1])
        elif event["type"] == [2]:
            last = state["open"].pop()
            last[1], last[6] = state["now"], event.get("terminating_flow_ids", [])
        else:
            raise SystemExit("an event that is no slice")
