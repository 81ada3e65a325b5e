"""Where findings go. A sink takes a batch of deliveries and says what became of it; it keeps nothing and never raises.

records        deliveries as log records and spans      otlp      to an OTLP server
file           one log export a line, appended          stderr    a line each, for people
alertmanager   alerts                                   webhook   JSON
"""
